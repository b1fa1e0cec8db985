/** `tableId`: the table of a column, else the asset itself. */
export type Association = {
  associationId: number
  assetId: number
  uid: string
  tableId: number
  tagId: number
}

/** `tagName`: the name at that time, only for the history. */
type Change = { at: string; by: string; tagName: string }

export type AssetTagAdded = { type: 'AssetTagAdded'; data: Association & Change }
export type AssetTagRemoved = { type: 'AssetTagRemoved'; data: Association & Change }
export type AssetTagEvent = AssetTagAdded | AssetTagRemoved

/** One tag on one asset. Its association keeps its id after a removal, in case the tag is added again. */
export type AssetTagState = { status: 'absent' } | { status: 'present' | 'removed'; association: Association }

export type AddAssetTag = Association & Change & { type: 'AddAssetTag' }
export type RemoveAssetTag = Change & { type: 'RemoveAssetTag' }
export type AssetTagCommand = AddAssetTag | RemoveAssetTag

export const initialAssetTag: AssetTagState = { status: 'absent' }

/** The state after an event. */
export function evolveAssetTag(_state: AssetTagState, event: AssetTagEvent): AssetTagState {
  const { associationId, assetId, uid, tableId, tagId } = event.data
  const association = { associationId, assetId, uid, tableId, tagId }
  switch (event.type) {
    case 'AssetTagAdded':
      return { status: 'present', association }
    case 'AssetTagRemoved':
      return { status: 'removed', association }
    default:
      return event satisfies never
  }
}

/** The events of a command on a tag of an asset. Adding or removing is idempotent. */
export function decideAssetTag(command: AssetTagCommand, state: AssetTagState): AssetTagEvent[] {
  switch (command.type) {
    case 'AddAssetTag': {
      if (state.status === 'present') return []
      const { type: _, ...data } = command
      const associationId = state.status === 'removed' ? state.association.associationId : data.associationId
      return [{ type: 'AssetTagAdded', data: { ...data, associationId } }]
    }
    case 'RemoveAssetTag': {
      if (state.status !== 'present') return []
      const { at, by, tagName } = command
      return [{ type: 'AssetTagRemoved', data: { ...state.association, at, by, tagName } }]
    }
    default:
      return command satisfies never
  }
}
