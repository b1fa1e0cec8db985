import type { Documents } from '@assay/documents'
import { aboveOf } from '../copies/above.ts'
import { notificationPolicies } from '../copies/targets.ts'
import { searchTarget, targetName } from '../watch/aggregate.ts'
import type { ChangedTag, CreatedAsset, WatchedContent } from './trigger.ts'

/** The names of targets whose watches cover a notification; `own`: the asset or the policy itself. */
export interface Covering {
  own: readonly string[]
  above: readonly string[]
  /** The asset and its ancestors. A mute of any of them applies. */
  assetIds: readonly number[]
  assemblyId: number | undefined
  /** Tags of the asset and of its table, and the one that was added or removed. */
  tagIds: readonly number[]
  tag?: ChangedTag | undefined
  /** The asset, if it is new. */
  created?: CreatedAsset | undefined
  /** The right table of a comparison, if the notification is about a run or an incident. */
  right?: Covering | undefined
}

/** Both tables of a comparison, or the only one. Pure. */
export const sidesOf = (covering: Covering): Covering[] => [covering, ...(covering.right ? [covering.right] : [])]

/** The assets whose mutes and settings apply. Pure. */
export const assetsOf = (covering: Covering): number[] => [
  ...new Set(sidesOf(covering).flatMap(({ assetIds }) => assetIds)),
]

/**
 * What must be watched to get a notification. The nearest first. A run and an incident of a comparison belong to both of
 * its tables; changes of a policy have a notification for each.
 */
export async function coveringOf(documents: Documents, tenant: string, content: WatchedContent): Promise<Covering> {
  const { assetId, policyId, kind, isOwn = false } = content
  const left = await sideOf(documents, tenant, content)
  if (policyId === null || assetId === null || isOwn || kind.startsWith('POLICY_')) return left
  const rightId = (await documents.get(notificationPolicies, tenant, policyId))?.document.rightAssetId ?? null
  if (rightId === null || rightId === assetId) return left
  const right = await sideOf(documents, tenant, { ...content, policyId: null, assetId: rightId })
  return { ...left, above: [...new Set([...left.above, ...right.own, ...right.above])], right }
}

async function sideOf(documents: Documents, tenant: string, content: WatchedContent): Promise<Covering> {
  const { assetId, policyId, watchedId = assetId, assemblyId, isOwn = false, created, tag } = content
  const own = watchedId === null ? [] : [targetName({ assetId: watchedId })]
  const above =
    watchedId === null ? undefined : await aboveOf(documents, tenant, watchedId, created?.path?.slice(0, -1))
  const named = [assetId, watchedId].filter((id) => id !== null)
  const assetIds = [...new Set([...named, ...(above?.assetIds ?? [])])]
  const assembly = assemblyId ?? above?.assemblyId
  const tagIds = [...new Set([...(above?.tagIds ?? []), ...(tag === undefined ? [] : [tag.tagId])])]
  const about = { own, assetIds, assemblyId: assembly, tagIds, created, tag }
  if (isOwn) return { ...about, above: [] }
  return {
    ...about,
    above: [
      ...(policyId === null ? [] : [targetName({ policyId })]),
      ...(above?.assetIds ?? []).map((id) => targetName({ assetId: id })),
      ...tagIds.map((tagId) => targetName({ tagId })),
      ...(assetIds.length === 0 ? [] : [searchTarget]),
      ...(assembly === undefined ? [] : [targetName({ assemblyId: assembly })]),
    ],
  }
}
