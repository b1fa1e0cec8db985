import { tagServiceOperations as operations, type TaggableType } from '@assay/contracts'
import type { Documents } from '@assay/documents'
import type { CommandContext, ReadYourWrites } from '@assay/event-store'
import { type Caller, type Route, route } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { contextOf } from '../assemblies/assembly-routes.ts'
import { namedAsset } from '../assets/named-asset.ts'
import { maxPolicyTags } from '../policy-tags/policy-tags.ts'
import { namedPolicy } from '../policy-uses/policy-uses.ts'
import type { TagDocument } from '../tag/aggregate.ts'
import { detailsOf } from './keys-of-tags.ts'
import type { PolicyTagging } from './policy-tagging.ts'
import type { Tagging } from './tagging.ts'
import type { Tags } from './tags.ts'

/**
 * The entity type, if it can have tags and the caller may see such entities. The table of operations cannot express the
 * second condition.
 */
function taggedType(entityType: TaggableType, { identity: { permissions } }: Caller): 'ASSET' | 'POLICY' {
  if (entityType !== 'ASSET' && entityType !== 'POLICY')
    throw new AssayError('unprocessable', `entityType: ${entityType} has no tags. Use ASSET or POLICY.`)
  if (entityType === 'POLICY' && !permissions.has('POLICY_VIEW'))
    throw new AssayError('forbidden', 'This key lacks the permission POLICY_VIEW.')
  return entityType
}

/** Tags of assets and policies. */
export function tagAssociationRoutes(deps: {
  documents: Documents
  tags: Tags
  tagging: Tagging
  policyTagging: PolicyTagging
  readYourWrites: ReadYourWrites
}): Route[] {
  const { documents, tags, tagging, policyTagging, readYourWrites } = deps

  /** The tags beyond the asset's limit, by id, with the reason. */
  async function addToAsset(
    tenant: string,
    asset: Parameters<Tagging['add']>[1],
    added: readonly TagDocument[],
    context: CommandContext,
  ): Promise<Map<number, string>> {
    const refused = new Map<number, string>()
    for (const tag of added) {
      try {
        await tagging.add(tenant, asset, tag, context)
      } catch (error) {
        if (!(error instanceof AssayError && error.code === 'unprocessable')) throw error
        refused.set(tag.id, error.message)
      }
    }
    return refused
  }

  async function addToPolicy(
    tenant: string,
    policyId: number,
    added: readonly TagDocument[],
    context: CommandContext,
  ): Promise<Map<number, string>> {
    const refused = await policyTagging.add(tenant, policyId, added, context)
    return new Map([...refused].map((id) => [id, `A policy has at most ${maxPolicyTags} tags.`]))
  }

  return [
    route(operations.associateTags, async (call) => {
      const { tenant } = call.identity
      const context = contextOf(call)
      const { entityId, keyValueIds } = call.body
      const type = taggedType(call.body.entityType, call)
      const asset = type === 'ASSET' ? await namedAsset(documents, tenant, entityId) : undefined
      if (asset === undefined) await namedPolicy(documents, readYourWrites, call, entityId)
      const wanted = [...new Set(keyValueIds)]
      const resolved = await tags.resolve(tenant, wanted)
      const found = [...new Map(wanted.flatMap((id) => resolved.get(id) ?? []).map((tag) => [tag.id, tag])).values()]
      const refused = asset
        ? await addToAsset(tenant, asset, found, context)
        : await addToPolicy(tenant, entityId, found, context)
      const errors = wanted.flatMap((keyValueId) => {
        const tag = resolved.get(keyValueId)
        if (tag === undefined) return [{ code: 'NOT_FOUND', keyValueId, message: 'There is no such tag.' }]
        const message = refused.get(tag.id)
        return message === undefined ? [] : [{ code: 'LIMIT_REACHED', keyValueId, message }]
      })
      const created = wanted.flatMap((id) => resolved.get(id) ?? []).filter(({ id }) => !refused.has(id))
      return { body: { created: await detailsOf(documents, tenant, created), errors } }
    }),
    route(operations.listTagAssociations, async (call) => {
      const { tenant } = call.identity
      const { id } = call.params
      if (taggedType(call.query.entityType, call) === 'POLICY') {
        await namedPolicy(documents, readYourWrites, call, id)
        return { body: await detailsOf(documents, tenant, await policyTagging.of(tenant, id)) }
      }
      await namedAsset(documents, tenant, id)
      const carried = (await tagging.of(tenant, id)).map(({ tag }) => tag)
      return { body: await detailsOf(documents, tenant, carried) }
    }),
  ]
}
