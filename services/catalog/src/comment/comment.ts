import { AssayError } from '@assay/service-kit/errors'

type OfComment = { commentId: number; assetId: number; uid: string; at: string; by: string }

/** `parentAuthor`: of the comment that it answers; absent in older events. */
export type CommentAdded = {
  type: 'CommentAdded'
  data: OfComment & { parentId: number | null; parentAuthor?: string; comment: string }
}
export type CommentEdited = { type: 'CommentEdited'; data: OfComment & { before: string; comment: string } }
/** `deletedWith`: the deleted comment that it was a direct or indirect reply to. */
export type CommentDeleted = { type: 'CommentDeleted'; data: OfComment & { before: string; deletedWith?: number } }
export type CommentEvent = CommentAdded | CommentEdited | CommentDeleted

export type KnownComment = {
  status: 'shown' | 'deleted'
  id: number
  assetId: number
  uid: string
  parentId: number | null
  comment: string
  author: string
  createdAt: string
  updatedAt: string
}
export type CommentState = { status: 'absent' } | KnownComment

export type AddComment = CommentAdded['data'] & { type: 'AddComment' }
/** `mayChangeAll`: whether the caller may change comments of other users. */
type Change = { assetId: number; at: string; by: string; mayChangeAll: boolean }
export type EditComment = Change & { type: 'EditComment'; comment: string }
export type DeleteComment = Change & { type: 'DeleteComment'; deletedWith?: number }
export type CommentCommand = AddComment | EditComment | DeleteComment

export const initialComment: CommentState = { status: 'absent' }

/** The state after an event. */
export function evolveComment(state: CommentState, event: CommentEvent): CommentState {
  if (event.type === 'CommentAdded') {
    const { commentId: id, assetId, uid, parentId, comment, at, by } = event.data
    return { status: 'shown', id, assetId, uid, parentId, comment, author: by, createdAt: at, updatedAt: at }
  }
  if (state.status === 'absent') return state
  switch (event.type) {
    case 'CommentEdited':
      return { ...state, comment: event.data.comment, updatedAt: event.data.at }
    case 'CommentDeleted':
      return { ...state, status: 'deleted', comment: '', updatedAt: event.data.at }
    default:
      return event satisfies never
  }
}

function changeable(state: CommentState, { assetId, by, mayChangeAll }: Change): KnownComment {
  if (state.status !== 'shown' || state.assetId !== assetId)
    throw new AssayError('not-found', 'There is no such comment on this asset.')
  if (state.author !== by && !mayChangeAll)
    throw new AssayError(
      'forbidden',
      'This comment is by another user: changing it requires the permission ASSET_CONFIGURATION_MODIFY.',
    )
  return state
}

/** The events of a command on a comment. Throws `not-found`, `forbidden`. An unchanged text causes no event. */
export function decideComment(command: CommentCommand, state: CommentState): CommentEvent[] {
  const { at, by } = command
  switch (command.type) {
    case 'AddComment': {
      const { type: _, ...data } = command
      return state.status === 'absent' ? [{ type: 'CommentAdded', data }] : []
    }
    case 'EditComment': {
      const { id: commentId, assetId, uid, comment: before } = changeable(state, command)
      const { comment } = command
      if (comment === before) return []
      return [{ type: 'CommentEdited', data: { commentId, assetId, uid, at, by, before, comment } }]
    }
    case 'DeleteComment': {
      const { id: commentId, assetId, uid, comment: before } = changeable(state, command)
      const { deletedWith } = command
      const of = { commentId, assetId, uid, at, by, before }
      return [{ type: 'CommentDeleted', data: deletedWith === undefined ? of : { ...of, deletedWith } }]
    }
    default:
      return command satisfies never
  }
}
