import type { Documents } from '@assay/documents'
import { aboveOf } from '../copies/above.ts'
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
}

/** What must be watched to get a notification. The nearest first. */
export async function coveringOf(documents: Documents, tenant: string, content: WatchedContent): Promise<Covering> {
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
