import { type Clock, isoTime, type NewId } from '@assay/service-kit'
import type { JsonObject, NewEvent } from './port.ts'

/** An event of Assay's own. */
export function systemEvent(
  ambient: { clock: Clock; newId: NewId },
  tenant: string,
  type: string,
  data: JsonObject,
): NewEvent {
  const occurredAt = isoTime(ambient.clock.now())
  return { id: ambient.newId(), type, data, metadata: { tenant, actor: 'system', schemaVersion: 1, occurredAt } }
}
