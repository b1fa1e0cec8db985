import { z } from 'zod'

/** One event however many notifications were unread: it marks all of the recipient's that were made until `until`. */
export type InboxEvent = { type: 'NotificationsRead'; data: { recipient: string; until: string; at: string } }

const mark = z.object({ until: z.string(), at: z.string() })
const inbox = z.object({ recipient: z.string(), marks: z.array(mark) })
/** The times at which all was marked as read, oldest first, ISO 8601 UTC. */
export type Inbox = z.infer<typeof inbox>
export const storedInbox = inbox
export type InboxState = Inbox | null

export type InboxCommand = { type: 'ReadAll'; recipient: string; until: string; at: string }

/** Notifications read before the oldest of these show the time of the oldest. */
export const mostMarks = 200

export function evolve(state: InboxState, { data: { recipient, until, at } }: InboxEvent): InboxState {
  return { recipient, marks: [...(state?.marks ?? []), { until, at }].slice(-mostMarks) }
}

export function decide({ recipient, until, at }: InboxCommand, state: InboxState): readonly InboxEvent[] {
  const last = state?.marks.at(-1)
  if (last !== undefined && last.until >= until) return []
  return [{ type: 'NotificationsRead', data: { recipient, until, at } }]
}

/** When a notification made at `madeAt` was read as part of all; `null`: it was not. */
export function readWithAll(marks: Inbox['marks'], madeAt: string): string | null {
  return marks.find(({ until }) => until >= madeAt)?.at ?? null
}
