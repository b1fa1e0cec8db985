import { executedVersionMessage, internalTopics, tableMessage } from '@assay/contracts'
import type { DocumentPut, Documents } from '@assay/documents'
import type { Followed } from '@assay/event-store'
import type { FedCopies, Message, MessageBus, Outcome, Subscription } from '@assay/message-bus'
import { z } from 'zod'
import { executedVersionPut, executedVersions } from './executed-versions.ts'
import { policyTables, tableCopyPut } from './tables.ts'

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
    const { assetId, assemblyDeleted } = parsed.data
    const put = tableCopyPut(tenant, parsed.data, position)
    await deps.tables.follow(tenant, position, async () => {
      await deps.documents.put([put])
      if (assemblyDeleted === true) await deps.onAssemblyDeleted(tenant, assetId)
    })
    return { kind: 'done' }
  }

  async function takeVersion(message: Message): Promise<Outcome> {
    const parsed = executedVersionMessage.safeParse(message.data)
    if (!parsed.success) return { kind: 'park', reason: z.prettifyError(parsed.error) }
    const { tenant, position } = message
    const put = executedVersionPut(tenant, parsed.data, position)
    await deps.versions.follow(tenant, position, () => deps.documents.put([put]))
    return { kind: 'done' }
  }

  return deps.bus.subscribe({
    topics: [internalTopics.tables, internalTopics.versions],
    group: 'policy',
    handle: ({ topic, message }) => (topic === internalTopics.tables ? takeTable(message) : takeVersion(message)),
  })
}

/** What a rebuild reads again from the bus. */
export const policyCopies: readonly FedCopies<DocumentPut>[] = [
  {
    collection: policyTables.name,
    topic: internalTopics.tables,
    putOf({ tenant, position, data }) {
      const parsed = tableMessage.safeParse(data)
      return parsed.success ? tableCopyPut(tenant, parsed.data, position) : undefined
    },
  },
  {
    collection: executedVersions.name,
    topic: internalTopics.versions,
    putOf({ tenant, position, data }) {
      const parsed = executedVersionMessage.safeParse(data)
      return parsed.success ? executedVersionPut(tenant, parsed.data, position) : undefined
    },
  },
]
