import type { Documents } from '@assay/documents'
import { notificationAssetSettings } from '../copies/asset-settings.ts'
import { notificationPolicies, notificationTags } from '../copies/targets.ts'
import type { RuleFacts } from '../rule/matches.ts'
import type { Covering } from '../triggers/covering.ts'

const assetsAtOnce = 200

/** What rules know of one table of a content. Owners: those of the nearest asset that has any. */
export async function ruleFactsOf(
  documents: Pick<Documents, 'find' | 'get'>,
  tenant: string,
  { policyId, covering }: { policyId: number | null; covering: Covering },
): Promise<RuleFacts> {
  const { assetIds, tagIds, tag, assemblyId } = covering
  const [settings, tags, policy] = await Promise.all([
    documents.find(notificationAssetSettings, tenant, {
      where: [{ field: 'id', in: assetIds }],
      size: assetsAtOnce,
    }),
    documents.find(notificationTags.tags, tenant, { where: [{ field: 'id', in: tagIds }], size: assetsAtOnce }),
    policyId === null ? undefined : documents.get(notificationPolicies, tenant, policyId),
  ])
  const owned = new Map(settings.documents.map(({ assetId, owners }) => [assetId, owners]))
  const owners = assetIds.map((id) => owned.get(id) ?? []).find((each) => each.length > 0) ?? []
  const names = tags.documents.map(({ tag }) => tag.name)
  return {
    assemblyId,
    owners,
    tags: [...names, ...(tag === undefined ? [] : [tag.name]), ...(policy?.document.tags ?? [])],
  }
}
