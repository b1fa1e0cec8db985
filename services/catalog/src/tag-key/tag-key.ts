export const tagKeyTypes = ['UNSPECIFIED_TYPE', 'GOVERNED', 'USER'] as const
export type TagKeyType = (typeof tagKeyTypes)[number]

export type TagKeyCreated = {
  type: 'TagKeyCreated'
  data: { keyId: number; at: string; by: string; name: string; keyType: TagKeyType; description: string }
}
export type TagKeyEvent = TagKeyCreated

export type KnownTagKey = {
  status: 'active'
  id: number
  name: string
  keyType: TagKeyType
  description: string
  createdAt: string
  createdBy: string
}
export type TagKeyState = { status: 'absent' } | KnownTagKey

export type CreateTagKey = TagKeyCreated['data'] & { type: 'CreateTagKey' }

export const initialTagKey: TagKeyState = { status: 'absent' }

/** The state after an event. */
export function evolveTagKey(_state: TagKeyState, event: TagKeyEvent): TagKeyState {
  const { keyId: id, name, keyType, description, at, by } = event.data
  return { status: 'active', id, name, keyType, description, createdAt: at, createdBy: by }
}

/** The events of a command on a tag key, which is created once. */
export function decideTagKey({ type: _, ...data }: CreateTagKey, state: TagKeyState): TagKeyEvent[] {
  return state.status === 'absent' ? [{ type: 'TagKeyCreated', data }] : []
}
