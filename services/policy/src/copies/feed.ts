import { executedVersionMessage, internalTopics, tableMessage } from '@assay/contracts'
import { type Documents, documentPut } from '@assay/documents'
import type { Message, MessageBus, Outcome, Subscription } from '@assay/message-bus'
import { z } from 'zod'
import { executedVersions } from './executed-versions.ts'
import type { Followed } from './followed.ts'
import { policyTables } from './tables.ts'

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
    const { assetId, revision } = parsed.data
    const copy = { table: parsed.data, position }
    await deps.documents.put([documentPut(policyTables, tenant, assetId, copy, { revision, position })])
    if (parsed.data.assemblyDeleted === true) await deps.onAssemblyDeleted(tenant, assetId)
    deps.tables.advance(tenant, position)
    return { kind: 'done' }
  }

  async function takeVersion(message: Message): Promise<Outcome> {
    const parsed = executedVersionMessage.safeParse(message.data)
    if (!parsed.success) return { kind: 'park', reason: z.prettifyError(parsed.error) }
    const { tenant, position } = message
    const { policyId, version, executionId } = parsed.data
    // Runs of a policy never overlap, so the later run has the higher number; it stands in for a revision.
    const source = { revision: executionId, position }
    const copy = { version, executionId, position }
    await deps.documents.put([documentPut(executedVersions, tenant, policyId, copy, source)])
    deps.versions.advance(tenant, position)
    return { kind: 'done' }
  }

  return deps.bus.subscribe({
    topics: [internalTopics.tables, internalTopics.versions],
    group: 'policy',
    handle: ({ topic, message }) => (topic === internalTopics.tables ? takeTable(message) : takeVersion(message)),
  })
}
