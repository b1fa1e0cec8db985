import { AssayError } from '@assay/service-kit/errors'
import type { KnownTag, TagEvent, TagState } from './tag.ts'

type By = { at: string; by: string }

export type CreateTag = By & {
  type: 'CreateTag'
  tagId: number
  keyId: number | null
  keyName: string | null
  value: string
  protectedData: boolean
}
/** `undefined` means that it stays. */
export type ChangeTag = By & { type: 'ChangeTag'; value: string | undefined; protectedData: boolean | undefined }
export type MergeTag = By & { type: 'MergeTag'; intoId: number }
export type FinishMove = By & { type: 'FinishMove' }
export type TagCommand = CreateTag | ChangeTag | MergeTag | FinishMove

function active(state: TagState): KnownTag {
  if (state.status !== 'active') throw new AssayError('not-found', 'There is no such tag.')
  return state
}

function change(tag: KnownTag, { at, by, value, protectedData }: ChangeTag): TagEvent[] {
  const of = { tagId: tag.id, at, by }
  const events: TagEvent[] = []
  if (value !== undefined && value !== tag.value)
    events.push({ type: 'TagRenamed', data: { ...of, before: tag.value, value } })
  if (protectedData !== undefined && protectedData !== tag.protectedData)
    events.push({
      type: 'TagProtectionSet',
      data: { ...of, before: { protectedData: tag.protectedData }, protectedData },
    })
  return events
}

/** The events of a command on a tag; none if nothing changes. Throws `not-found`, `invalid`. */
export function decideTag(command: TagCommand, state: TagState): TagEvent[] {
  const { at, by } = command
  switch (command.type) {
    case 'CreateTag': {
      // A concurrent request with the same name has created the same tag.
      if (state.status !== 'absent') return []
      const { tagId, keyId, keyName, value, protectedData } = command
      return [{ type: 'TagCreated', data: { tagId, at, by, keyId, keyName, value, protectedData } }]
    }
    case 'ChangeTag':
      return change(active(state), command)
    case 'MergeTag': {
      const { intoId } = command
      if (state.status !== 'absent' && state.mergedIntoId === intoId) return []
      const tag = active(state)
      if (tag.id === intoId) throw new AssayError('invalid', 'into: must be another tag.')
      const { keyName, value, protectedData } = tag
      return [{ type: 'TagMerged', data: { tagId: tag.id, at, by, before: { keyName, value, protectedData }, intoId } }]
    }
    case 'FinishMove':
      return state.status === 'merging' ? [{ type: 'TagMoved', data: { tagId: state.id, at, by } }] : []
    default:
      return command satisfies never
  }
}
