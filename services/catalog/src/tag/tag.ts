type OfTag = { tagId: number; at: string; by: string }

/** A simple tag has no key; one with a key is named `<key>:<value>`. */
export type TagCreated = {
  type: 'TagCreated'
  data: OfTag & { keyId: number | null; keyName: string | null; value: string; protectedData: boolean }
}
export type TagRenamed = { type: 'TagRenamed'; data: OfTag & { before: string; value: string } }
export type TagProtectionSet = {
  type: 'TagProtectionSet'
  data: OfTag & { before?: { protectedData: boolean }; protectedData: boolean }
}
/** `before`: the tag before the merge. Missing in old events. */
export type TagMerged = {
  type: 'TagMerged'
  data: OfTag & { before?: { keyName: string | null; value: string; protectedData: boolean }; intoId: number }
}
/** No asset or policy has the merged tag. */
export type TagMoved = { type: 'TagMoved'; data: OfTag }

export type TagEvent = TagCreated | TagRenamed | TagProtectionSet | TagMerged | TagMoved

export type KnownTag = {
  status: 'active' | 'merging' | 'merged'
  id: number
  keyId: number | null
  keyName: string | null
  value: string
  protectedData: boolean
  mergedIntoId: number | null
  createdAt: string
  createdBy: string
  updatedAt: string
  updatedBy: string
}
export type TagState = { status: 'absent' } | KnownTag

export const initialTag: TagState = { status: 'absent' }

/** The name of a tag; unique in its tenant. */
export function tagNameOf({ keyName, value }: { keyName: string | null; value: string }): string {
  return keyName === null ? value : `${keyName}:${value}`
}

/** The state after an event. */
export function evolveTag(state: TagState, event: TagEvent): TagState {
  if (event.type === 'TagCreated') {
    const { tagId: id, keyId, keyName, value, protectedData, at, by } = event.data
    const times = { createdAt: at, createdBy: by, updatedAt: at, updatedBy: by }
    return { status: 'active', id, keyId, keyName, value, protectedData, mergedIntoId: null, ...times }
  }
  if (state.status === 'absent') return state
  const touched = { updatedAt: event.data.at, updatedBy: event.data.by }
  switch (event.type) {
    case 'TagRenamed':
      return { ...state, ...touched, value: event.data.value }
    case 'TagProtectionSet':
      return { ...state, ...touched, protectedData: event.data.protectedData }
    case 'TagMerged':
      return { ...state, ...touched, status: 'merging', mergedIntoId: event.data.intoId }
    case 'TagMoved':
      return { ...state, status: 'merged' }
    default:
      return event satisfies never
  }
}
