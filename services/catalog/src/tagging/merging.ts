import type { Documents } from '@assay/documents'
import type { CommandContext, CommandHandler } from '@assay/event-store'
import { type Clock, isoTime, type Logger } from '@assay/service-kit'
import { AssayError, messageOf } from '@assay/service-kit/errors'
import { assetTags } from '../asset-tag/aggregate.ts'
import { policyTags } from '../policy-tags/aggregate.ts'
import { type TagDocument, tagAggregate, tags as tagDocuments } from '../tag/aggregate.ts'
import { tagNameOf } from '../tag/tag.ts'
import type { PolicyTagging } from './policy-tagging.ts'
import type { Tagging } from './tagging.ts'
import type { Tags } from './tags.ts'

const atOnce = 500

/** Merges one tag into another. */
export interface Merging {
  /**
   * Resolves once the merge is decided: from then on, readers see one tag. `moved` resolves when no asset and no policy
   * has the old tag. Throws `not-found`, `invalid`.
   */
  merge(
    tenant: string,
    id: number,
    intoId: number,
    context: CommandContext,
  ): Promise<{ into: TagDocument; moved: Promise<void> }>
  /** Resumes moves that an earlier process did not finish. */
  resume(): Promise<void>
  stop(): Promise<void>
}

export function createMerging(deps: {
  handler: CommandHandler
  documents: Documents
  clock: Clock
  logger: Logger
  tags: Tags
  tagging: Tagging
  policyTagging: PolicyTagging
}): Merging {
  const { handler, documents, clock, logger, tags, tagging, policyTagging } = deps
  const moving = new Map<string, Promise<void>>()
  let isStopping = false

  /** Idempotent, wherever it was interrupted, because associations are unique. */
  async function moveAll(tenant: string, from: TagDocument, context: CommandContext): Promise<void> {
    const where = [{ field: 'tagId', is: from.id }]
    let before = ''
    while (!isStopping) {
      const { documents: found } = await documents.find(assetTags, tenant, { where, size: atOnce })
      const { documents: ofPolicies } = await documents.find(policyTags, tenant, { where, size: atOnce })
      if (found.length === 0 && ofPolicies.length === 0) {
        const command = { type: 'FinishMove', at: isoTime(clock.now()), by: context.actor } as const
        await handler.handle(tagAggregate, { tenant, id: from.id, command, context })
        return
      }
      const now = JSON.stringify([found.map(({ assetId }) => assetId), ofPolicies.map(({ policyId }) => policyId)])
      // Stale documents may list associations that have moved already. Then it waits for the repair of these documents.
      if (now === before) throw new AssayError('unavailable', `Associations of tag ${from.id} cannot be moved yet.`)
      before = now
      const into = (await tags.resolve(tenant, [from.id])).get(from.id)
      if (into === undefined) throw new AssayError('internal', `Tag ${from.id} has no target of its merge.`)
      for (const association of found) {
        if (isStopping) return
        const { assetId: id, uid, tableId } = association
        await tagging.move(tenant, { id, uid, tableId }, into, context)
        await tagging.drop(tenant, association, from.value, context)
      }
      for (const { policyId } of ofPolicies) {
        if (isStopping) return
        await policyTagging.move(tenant, policyId, from, into, context)
      }
    }
  }

  function move(tenant: string, from: TagDocument, context: CommandContext): Promise<void> {
    const key = JSON.stringify([tenant, from.id])
    const known = moving.get(key)
    if (known !== undefined) return known
    const work = moveAll(tenant, from, context)
      .catch((error: unknown) =>
        logger.warn(
          { tenant, tagId: from.id, error: messageOf(error) },
          'Assets and policies could not be moved to a merged tag yet.',
        ),
      )
      .finally(() => moving.delete(key))
    moving.set(key, work)
    return work
  }

  return {
    async merge(tenant, id, intoId, context) {
      const into = (await tags.resolve(tenant, [intoId])).get(intoId)
      const { state: before } = await handler.load(tagAggregate, tenant, id)
      if (before.status === 'absent') throw new AssayError('not-found', 'There is no such tag.')
      if (into === undefined) throw new AssayError('invalid', 'into: there is no such tag.')
      if (into.id === id) throw new AssayError('invalid', 'into: must be another tag.')
      // Protects the target first, so that masked values stay masked at every moment.
      if (before.status === 'active' && before.protectedData && !into.protectedData)
        await tags.change(
          tenant,
          into.id,
          { name: undefined, protectedData: true },
          { context, permissions: new Set() },
        )
      const command = { type: 'MergeTag', at: isoTime(clock.now()), by: context.actor, intoId: into.id } as const
      const { state } = await handler.handle(tagAggregate, { tenant, id, command, context })
      if (state.status === 'absent') throw new AssayError('internal', 'A merged tag has no state.')
      await tags.release(tenant, tagNameOf(state), id)
      const moved = move(tenant, state, context)
      return { into: (await tags.resolve(tenant, [into.id])).get(into.id) ?? into, moved }
    },
    async resume() {
      const where = [{ field: 'status', is: 'merging' }]
      for await (const { tenant, document } of documents.scan(tagDocuments, { where })) {
        if (isStopping) return
        void move(tenant, document, { actor: 'system' })
      }
    },
    async stop() {
      isStopping = true
      await Promise.all(moving.values())
    },
  }
}
