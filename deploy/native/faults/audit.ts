import { z } from 'zod'
import type { DocumentPut } from '../../../packages/documents/src/index.ts'
import type { RecordedEvent } from '../../../packages/event-store/src/index.ts'
import type { AuditedWrite, Fields } from '../../../packages/testkit/src/index.ts'
import { feedAudit } from '../../../services/gateway/src/audit/feed.ts'
import { createOwnAudit } from '../../../services/gateway/src/audit/own-events.ts'
import { writeNameOf } from './from-log.ts'
import type { LogCopy } from './log-copy.ts'
import { readingOnly, type Sent } from './reading-only.ts'

/** All audit lines, as the gateway makes them from its own log and from the public events of other services. */
export async function auditPuts(log: LogCopy, sent: readonly Sent[]): Promise<readonly DocumentPut[]> {
  const { deps, processAll, deliverAll } = readingOnly(log)
  const puts: DocumentPut[] = []
  const documents = { put: async (some: readonly DocumentPut[]) => void puts.push(...some) }
  createOwnAudit({ ...deps, documents })
  await feedAudit({ ...deps, documents })
  await processAll()
  await deliverAll(sent)
  return puts
}

const ofKey = z.object({ tenant: z.string() })
const described = z.union([
  z.object({ definition: z.object({ description: z.string() }) }).transform(({ definition }) => definition.description),
  z.object({ description: z.string() }).transform(({ description }) => description),
])

/** The fields before and after a write, derived from events alone. `earlier`: the previous description of its stream. */
function changeOf({ type }: RecordedEvent, writeName: string, earlier: string): [Fields | null, Fields] {
  switch (type) {
    case 'PolicyDefinitionChanged':
    case 'AssemblyUpdated':
      return [{ description: earlier }, { description: writeName }]
    case 'PolicyCreated':
      return [null, { name: writeName }]
    case 'ApiKeyCreated':
      return [null, { displayName: writeName }]
    case 'SampleRequested':
      return [null, { requestId: writeName }]
    default:
      return [null, { executionId: Number(writeName.split(' ').at(-1)) }]
  }
}

/** The expected audit lines of the writes of a load. */
export function auditedWrites(events: readonly RecordedEvent[]): AuditedWrite[] {
  const descriptions = new Map<string, string>()
  return events.flatMap((event): AuditedWrite[] => {
    const { id, stream, metadata } = event
    const writeName = writeNameOf(event)
    const earlier = descriptions.get(stream) ?? ''
    descriptions.set(stream, described.safeParse(event.data).data ?? earlier)
    if (writeName === undefined) return []
    const [before, after] = changeOf(event, writeName, earlier)
    // Streams of keys belong to the system tenant, but a key belongs to a tenant.
    const tenant = event.type === 'ApiKeyCreated' ? ofKey.parse(event.data).tenant : metadata.tenant
    const { occurredAt: at, actor, accessKey = null } = metadata
    return [{ id, tenant, at, actor, accessKey, before, after }]
  })
}
