import { nextRuns } from '@assay/contracts'
import { isoTime } from '@assay/service-kit'
import { z } from 'zod'

/** A missed run is still started until this long after its time. */
export const misfireMs = 3_600_000

/** A cron expression in a time zone. */
export type Schedule = {
  cronExpression: string
  timeZone: string
}

/**
 * A due time that was taken. `due`: the time in the due book until now. `nominal`: the latest time of the schedule that
 * was reached. `next`: the next time for the due book.
 */
export const dueTime = z.object({ due: z.string(), nominal: z.string(), next: z.string().nullable() })
export type DueTime = z.infer<typeof dueTime>

/** What to do about a schedule that is due. */
export type DueDecision = { kind: 'run'; scheduled: DueTime } | { kind: 'skip'; scheduled: DueTime; reason: string }

const isoOrNull = (time: number | undefined) => (time === undefined ? null : isoTime(time))

const maxAnswers = 1_000
const answers = new Map<string, string | null>()

/**
 * The first due time of a schedule after `at` (ISO 8601); `null` means never. Cached, because many policies share a
 * schedule and are due in the same second.
 */
export function firstDue({ cronExpression, timeZone }: Schedule, at: string): string | null {
  const question = JSON.stringify([cronExpression, timeZone, at])
  const known = answers.get(question)
  if (known !== undefined) return known
  if (answers.size >= maxAnswers) answers.clear()
  const answer = isoOrNull(nextRuns(cronExpression, timeZone, Date.parse(at), 1)[0])
  answers.set(question, answer)
  return answer
}

/**
 * Like `firstDue`, but keeps the due time if the schedule is unchanged: a change to other fields of its owner must not
 * lose a due time.
 */
export function dueAfterChange(
  before: { schedule: Schedule | null | undefined; due: string | null },
  schedule: Schedule | null,
  at: string,
): string | null {
  if (schedule === null) return null
  const { cronExpression, timeZone } = schedule
  const isSame = before.schedule?.cronExpression === cronExpression && before.schedule.timeZone === timeZone
  return isSame && before.due !== null ? before.due : firstDue(schedule, at)
}

/**
 * Runs the latest time between `due` (ISO 8601) and `now` (epoch milliseconds) if it is at most an hour ago. Earlier
 * times are neither run nor recorded. Pure.
 */
export function decideDue(schedule: Schedule, due: string, now: number): DueDecision {
  const first = Date.parse(due)
  const following = firstDue(schedule, due)
  // A second time is due by now only after a downtime.
  const isLast = following === null || Date.parse(following) > now
  const book = { due, next: isLast ? following : firstDue(schedule, isoTime(now)) }
  const last = isLast ? undefined : lastUntil(schedule, Math.max(first, now - misfireMs) - 1, now)
  const nominal = last ?? (first >= now - misfireMs ? first : undefined)
  if (nominal !== undefined) return { kind: 'run', scheduled: { ...book, nominal: isoTime(nominal) } }
  const reason = 'Nothing could start within an hour of this time.'
  return { kind: 'skip', scheduled: { ...book, nominal: due }, reason }
}

/**
 * The latest time in (from, now]; `undefined` if there is none. Searches by bisection, which takes about 22 steps for
 * an hour of any schedule.
 */
function lastUntil({ cronExpression, timeZone }: Schedule, from: number, now: number): number | undefined {
  const firstAfter = (time: number) => nextRuns(cronExpression, timeZone, time, 1)[0] ?? Number.POSITIVE_INFINITY
  let last = firstAfter(from)
  if (last > now) return undefined
  // Invariant: there is no time in (none, now].
  for (let none = now; none > last; ) {
    const middle = Math.floor((last + none) / 2)
    const time = firstAfter(middle)
    if (time > now) none = middle
    else last = time
  }
  return last
}
