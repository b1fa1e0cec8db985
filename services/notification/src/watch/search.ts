import { nameMatches } from '@assay/documents'
import { z } from 'zod'

const ids = z.array(z.int()).exactOptional()
/** The filters of a watched search. An asset must match all of them, each by any of its values. */
export const watchedSearch = z.object({
  name: z.string().exactOptional(),
  assembly_ids: ids,
  asset_type_ids: ids,
  source_type_ids: ids,
  tag_ids: ids,
  parent_ids: ids,
  /** Each `key:value`. */
  labels: z.array(z.string()).exactOptional(),
  /** The assets that the user watches by their ids. */
  watched: z.literal(true).exactOptional(),
})
export type WatchedSearch = z.infer<typeof watchedSearch>

/** What a search knows of an asset. */
export interface SearchFacts {
  assetId: number
  name: string
  uid: string
  assemblyId: number | undefined
  assetTypeId: number | undefined
  sourceTypeId: number | undefined
  parentId: number | undefined
  tagIds: readonly number[]
  /** Each `key:value`. */
  labels: readonly string[]
}

const among = (wanted: readonly number[] | undefined, had: readonly (number | undefined)[]) =>
  wanted === undefined || had.some((id) => id !== undefined && wanted.includes(id))

/** Whether a search finds an asset, as discovery does, apart from `watched`. Pure. */
export function finds(search: WatchedSearch, asset: SearchFacts): boolean {
  const { name, assembly_ids, asset_type_ids, source_type_ids, tag_ids, parent_ids, labels } = search
  return (
    (name === undefined || nameMatches(name, { name: asset.name, path: asset.uid })) &&
    among(assembly_ids, [asset.assemblyId]) &&
    among(asset_type_ids, [asset.assetTypeId]) &&
    among(source_type_ids, [asset.sourceTypeId]) &&
    among(tag_ids, asset.tagIds) &&
    among(parent_ids, [asset.parentId]) &&
    (labels === undefined || labels.some((pair) => asset.labels.includes(pair)))
  )
}
