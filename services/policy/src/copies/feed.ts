import { executedVersionMessage, internalTopics, tableMessage } from '@assay/contracts'
import type { Documents } from '@assay/documents'
import type { Message, MessageBus, Outcome, Subscription } from '@assay/message-bus'
import { z } from 'zod'
import { executedVersionPut } from './executed-versions.ts'
import type { Followed } from './followed.ts'
import { tableCopyPut } from './tables.ts'

/**
 * Keeps this service's copies of tables and of executed versions. A copy takes only what is newer, so messages may come
 * twice or late. What cannot be read is parked. `onAssemblyDeleted`: a table's assembly is gone.
 */
export function feedCopies(deps: {
  bus: MessageBus
  documents: Documents
  tables: Followed
  versions: Followed
  onAssemblyDeleted: (tenant: string, assetId: number) => Promise<void>
}): Promise<Subscription> {
  async function takeTable(message: Message): Promise<Outcome> {
    const parsed = tableMessage.safeParse(message.data)
    if (!parsed.success) return { kind: 'park', reason: z.prettifyError(parsed.error) }
    const { tenant, position } = message
    const { assetId } = parsed.data
    await deps.documents.put([tableCopyPut(tenant, parsed.data, position)])
    if (parsed.data.assemblyDeleted === true) await deps.onAssemblyDeleted(tenant, assetId)
    deps.tables.advance(tenant, position)
    return { kind: 'done' }
  }

  async function takeVersion(message: Message): Promise<Outcome> {
    const parsed = executedVersionMessage.safeParse(message.data)
    if (!parsed.success) return { kind: 'park', reason: z.prettifyError(parsed.error) }
    const { tenant, position } = message
    await deps.documents.put([executedVersionPut(tenant, parsed.data, position)])
    deps.versions.advance(tenant, position)
    return { kind: 'done' }
  }

  return deps.bus.subscribe({
    topics: [internalTopics.tables, internalTopics.versions],
    group: 'policy',
    handle: ({ topic, message }) => (topic === internalTopics.tables ? takeTable(message) : takeVersion(message)),
  })
}
