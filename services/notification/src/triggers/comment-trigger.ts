import { z } from 'zod'
import { mentionsIn } from '../mentions/names.ts'
import { aboutAsset } from './content.ts'
import type { MentionContent, WatchedContent } from './trigger.ts'

const ofCommentEvent = z.object({
  assetId: z.int(),
  uid: z.string(),
  comment: z.string().optional(),
  parentAuthor: z.string().optional(),
  /** The text before an edit. */
  before: z.string().optional(),
})

/** Maximum number of characters of a comment in a text. */
const maxExcerpt = 500

function excerptOf(comment: string | undefined): string | undefined {
  return comment !== undefined && comment.length > maxExcerpt ? `${comment.slice(0, maxExcerpt)} ...` : comment
}

/** The notification about a new comment, for watchers. Throws a ZodError if the data does not match. Pure. */
export function ofComment(data: unknown, at: string, actor: string): WatchedContent[] {
  const { assetId, uid, comment } = ofCommentEvent.parse(data)
  const title = `${actor} commented on ${uid}`
  return [{ ...aboutAsset(assetId, at), kind: 'COMMENT_ADDED', title, text: excerptOf(comment) ?? `${title}.` }]
}

/** The notification about a new or edited comment, for the users whom it mentions or answers. Throws a ZodError if the data does not match. Pure. */
export function mentionsOfComment(data: unknown, at: string, actor: string): MentionContent | undefined {
  const { assetId, uid, comment = '', before = '', parentAuthor: answered = null } = ofCommentEvent.parse(data)
  const names = mentionsIn(comment)
  if (names.length === 0 && answered === null) return undefined
  const about = { ...aboutAsset(assetId, at), kind: 'MENTIONED' as const, text: excerptOf(comment) ?? '' }
  return {
    mention: { ...about, title: `${actor} mentioned you in a comment on ${uid}` },
    answer: { ...about, title: `${actor} answered your comment on ${uid}` },
    ...{ names, before: mentionsIn(before), answered },
  }
}
