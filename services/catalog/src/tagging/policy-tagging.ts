import type { Documents } from '@assay/documents'
import type { CommandContext, CommandHandler } from '@assay/event-store'
import { type Clock, isoTime } from '@assay/service-kit'
import { policyTags, policyTagsAggregate } from '../policy-tags/aggregate.ts'
import { carriesTag, maxPolicyTags } from '../policy-tags/policy-tags.ts'
import type { TagDocument } from '../tag/aggregate.ts'
import { tagNameOf } from '../tag/tag.ts'
import type { Tags } from './tags.ts'

/** The tags of policies. The caller checks that the policy exists. */
export interface PolicyTagging {
  /** The tags of a policy, in order of addition. A merged tag appears once, as its target. */
  of(tenant: string, policyId: number): Promise<TagDocument[]>
  /** Adds all tags in one append. Returns the ids of the tags beyond the limit. */
  add(
    tenant: string,
    policyId: number,
    tags: readonly TagDocument[],
    context: CommandContext,
  ): Promise<ReadonlySet<number>>
  /** Replaces one tag with another, even if the policy is full. Idempotent. */
  move(tenant: string, policyId: number, from: TagDocument, into: TagDocument, context: CommandContext): Promise<void>
}

const named = (tag: TagDocument) => ({ tagId: tag.id, tagName: tagNameOf(tag) })

export function createPolicyTagging(deps: {
  handler: CommandHandler
  documents: Documents
  clock: Clock
  tags: Tags
}): PolicyTagging {
  const { handler, documents, clock, tags } = deps
  const idsOf = (found: readonly TagDocument[]) => found.map(({ id }) => id)

  async function move(
    tenant: string,
    policyId: number,
    from: TagDocument,
    into: TagDocument,
    context: CommandContext,
  ): Promise<void> {
    const of = { policyId, from: named(from), into: named(into), at: isoTime(clock.now()), by: context.actor }
    const command = { type: 'MovePolicyTag', ...of } as const
    await handler.handle(policyTagsAggregate, { tenant, id: policyId, command, context })
  }

  return {
    move,
    async of(tenant, policyId) {
      const { documents: found } = await documents.find(policyTags, tenant, {
        where: [{ field: 'policyId', is: policyId }],
        sort: [{ field: 'index', direction: 'asc' }],
        size: maxPolicyTags,
      })
      const ids = found.map(({ tagId }) => tagId)
      const resolved = await tags.resolve(tenant, ids)
      const carried = new Map<number, TagDocument>()
      for (const id of ids) {
        const tag = resolved.get(id)
        if (tag !== undefined && !carried.has(tag.id)) carried.set(tag.id, tag)
      }
      return [...carried.values()]
    },
    async add(tenant, policyId, added, context) {
      const of = { policyId, tags: added.map(named), at: isoTime(clock.now()), by: context.actor }
      const command = { type: 'AddPolicyTags', ...of } as const
      const { state } = await handler.handle(policyTagsAggregate, { tenant, id: policyId, command, context })
      const refused = new Set(idsOf(added).filter((id) => !carriesTag(state, id)))
      // A tag may have been merged meanwhile, and its move may have ended before this addition.
      const now = await tags.resolve(tenant, idsOf(added))
      for (const tag of added) {
        const into = now.get(tag.id)
        if (into !== undefined && into.id !== tag.id) await move(tenant, policyId, tag, into, context)
      }
      return refused
    },
  }
}
