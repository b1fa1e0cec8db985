import type { Documents } from '@assay/documents'
import type { CommandContext, CommandHandler } from '@assay/event-store'
import { type Clock, isoTime } from '@assay/service-kit'
import { assetAggregate } from '../asset/aggregate.ts'
import type { VanishReason } from '../asset/asset.ts'
import { type AssetTableDocument, assetTables } from '../asset/collections.ts'
import { assetStreamId } from '../asset/uid.ts'
import { createLimiter } from './limiter.ts'

/** Number of states per page. States include columns, so pages stay small. */
const pageSize = 200
const appendsAtOnce = 16

/**
 * Marks the live assets of an assembly as deleted, except those for which `keep` is true. Pages by id, so that
 * deletions do not shift the pages. `onVanished`: called for each table (not for folders), with the revision of its
 * stream. Rejects with the first failure; another call continues.
 */
export async function vanishAssets(
  deps: { handler: CommandHandler; documents: Documents; clock: Clock },
  options: {
    tenant: string
    assemblyId: number
    reason: VanishReason
    keep: (table: AssetTableDocument) => boolean
    context: CommandContext
    signal: AbortSignal
    onVanished: (id: number, revision: number) => void
  },
): Promise<void> {
  const { tenant, assemblyId, reason, keep, context, signal, onVanished } = options
  const limiter = createLimiter(appendsAtOnce)
  let failure: { error: unknown } | undefined

  async function vanish(table: AssetTableDocument): Promise<void> {
    try {
      const { events, revision } = await deps.handler.handle(assetAggregate, {
        tenant,
        id: assetStreamId(table.uid),
        command: { type: 'VanishAsset', at: isoTime(deps.clock.now()), assemblyId, reason },
        context,
      })
      if (events.length > 0 && table.facts !== null) onVanished(table.id, revision)
    } catch (error) {
      failure ??= { error }
    }
  }

  for (let from = 1; ; ) {
    signal.throwIfAborted()
    const { documents } = await deps.documents.find(assetTables, tenant, {
      where: [
        { field: 'liveAssemblyId', is: assemblyId },
        { field: 'id', from },
      ],
      size: pageSize,
    })
    for (const table of documents) if (!keep(table)) await limiter.begin(() => vanish(table))
    const last = documents.at(-1)
    if (failure !== undefined || last === undefined || documents.length < pageSize) break
    from = last.id + 1
  }
  await limiter.idle()
  if (failure !== undefined) throw failure.error
}
