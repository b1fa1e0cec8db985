import { z } from 'zod'

/** Marks all notifications of the recipient that were created until `until` as read, however many there are. */
export type InboxEvent = { type: 'NotificationsRead'; data: { recipient: string; until: string; at: string } }

const readTime = z.object({ until: z.string(), at: z.string() })
const inbox = z.object({ recipient: z.string(), readTimes: z.array(readTime) })
/** The times at which the user marked all notifications as read, oldest first, ISO 8601 UTC. */
export type Inbox = z.infer<typeof inbox>
export const storedInbox = inbox
export type InboxState = Inbox | null

export type InboxCommand = { type: 'ReadAll'; recipient: string; until: string; at: string }

/** Maximum number of stored read times. A notification that was read earlier shows the oldest stored time. */
export const maxReadTimes = 200

export function evolve(state: InboxState, { data: { recipient, until, at } }: InboxEvent): InboxState {
  return { recipient, readTimes: [...(state?.readTimes ?? []), { until, at }].slice(-maxReadTimes) }
}

export function decide({ recipient, until, at }: InboxCommand, state: InboxState): readonly InboxEvent[] {
  const last = state?.readTimes.at(-1)
  if (last !== undefined && last.until >= until) return []
  return [{ type: 'NotificationsRead', data: { recipient, until, at } }]
}

/** When all notifications up to `createdAt` were marked as read; `null` if they were not. */
export function readWithAll(readTimes: Inbox['readTimes'], createdAt: string): string | null {
  return readTimes.find(({ until }) => until >= createdAt)?.at ?? null
}
