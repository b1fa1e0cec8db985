import type { TagMessage } from '@assay/contracts'
import type { Loaded } from '@assay/event-store'
import type { AssetTagState } from '../asset-tag/asset-tag.ts'
import { type TagState, tagNameOf } from '../tag/tag.ts'

/** The current tag, for the local read models of other services. */
export function tagMessageOf({
  state,
  revision,
}: Pick<Loaded<TagState>, 'state' | 'revision'>): (TagMessage & { kind: 'tag' }) | undefined {
  if (state.status === 'absent') return undefined
  const { id: tagId, protectedData, mergedIntoId } = state
  return { kind: 'tag', revision, tagId, name: tagNameOf(state), protected: protectedData, mergedIntoId }
}

/** Whether an asset has a tag, for the local read models of other services. */
export function associationMessageOf({
  state,
  revision,
}: Pick<Loaded<AssetTagState>, 'state' | 'revision'>): (TagMessage & { kind: 'association' }) | undefined {
  if (state.status === 'absent') return undefined
  const { associationId, tagId, assetId, tableId } = state.association
  const present = state.status === 'present'
  return { kind: 'association', revision, associationId, tagId, assetId, tableId, present }
}
