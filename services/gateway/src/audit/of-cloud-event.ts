import { type CloudEvent, cloudEvent } from '@assay/contracts'
import { z } from 'zod'
import type { AuditDocument } from './collection.ts'

const json = z.record(z.string(), z.json())
type Fields = z.infer<typeof json>
const changes = z.object({ before: json.nullable(), after: json.nullable() })
const gone = /(Deleted|Removed|Unwatched)$/
/** Event types whose `before` is a bare value, with the field that it belongs to. */
const fieldOfBefore: Readonly<Record<string, string>> = {
  AssetLabelsReplaced: 'labels',
  CommentDeleted: 'comment',
  CommentEdited: 'comment',
  CustomMetadataSet: 'items',
  TagRenamed: 'value',
  UdfTemplateUpdated: 'definition',
  VoteCast: 'vote',
}

/** `asset/7` is ASSET and 7. */
function entityOf({ subject }: CloudEvent): { entityType: string; entityId: string } {
  const slash = subject.indexOf('/')
  const kind = subject.slice(0, slash)
  return { entityType: kind.toUpperCase().replaceAll('-', '_'), entityId: subject.slice(slash + 1) }
}

function shortType(type: string): string {
  return type.split('.').at(-1) ?? type
}

/** The change: the event's `changes` if it has them, else `before` and the remaining fields. */
function changeOf(type: string, data: Fields): Pick<AuditDocument, 'before' | 'after'> {
  const given = changes.safeParse(data.changes)
  if (given.success) return given.data
  const { before: recordedChanges, after, at: _at, by: _by, actor: _actor, ...rest } = data
  const field = fieldOfBefore[shortType(type)]
  const before = field === undefined || recordedChanges === undefined ? recordedChanges : { [field]: recordedChanges }
  if (before !== undefined && after !== undefined) return { before, after }
  if (gone.test(type)) return { before: before ?? rest, after: null }
  return { before: before ?? null, after: rest }
}

/** The audit line of a public event. Throws a ZodError if `message` is not an event. Pure. */
export function auditLineOfEvent(message: unknown, position: string): AuditDocument {
  const event = cloudEvent.parse(message)
  const data = json.parse(event.data)
  const by = z.string().safeParse(data.by ?? data.actor)
  return {
    id: event.id,
    at: event.time,
    actor: event.actor ?? by.data ?? 'system',
    accessKey: event.accesskey ?? null,
    action: shortType(event.type),
    ...entityOf(event),
    ...changeOf(event.type, data),
    position,
  }
}
