import { z } from 'zod'
import type { RecordedEvent } from '../../../packages/event-store/src/index.ts'
import type { KnownKey } from '../../../packages/testkit/src/index.ts'
import { writeNameOf } from './from-log.ts'

const stream = /^([^/]+)\/key-(.+)$/
const made = z.object({ accessKey: z.string() })

/** Every key in the log, and when the load last wrote with it. */
export function knownKeys(events: readonly RecordedEvent[]): KnownKey[] {
  const wroteAt = new Map<string, number>()
  for (const event of events) {
    const { accessKey, occurredAt } = event.metadata
    if (accessKey !== undefined && writeNameOf(event) !== undefined) wroteAt.set(accessKey, Date.parse(occurredAt))
  }
  return events.flatMap((event): KnownKey[] => {
    const [, tenant, id] = stream.exec(event.stream) ?? []
    if (event.revision !== 0 || tenant === undefined || id === undefined) return []
    const { accessKey } = made.parse(event.data)
    return [{ id, tenant, madeAt: Date.parse(event.metadata.occurredAt), wroteAt: wroteAt.get(accessKey) }]
  })
}
