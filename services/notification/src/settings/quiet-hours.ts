import { nextRuns } from '@assay/contracts'
import { isoTime } from '@assay/service-kit'
import { z } from 'zod'

/** The settings that a user can change. `timeZone`: IANA name. Times of day are `HH:MM`; `to` is exclusive and may be on the next day. */
export const userSettings = z.object({
  timeZone: z.string(),
  quietHours: z.object({ from: z.string(), to: z.string() }).nullable(),
  digestAt: z.string(),
})
export type UserSettings = z.infer<typeof userSettings>

/** The settings of users who have changed nothing. */
export const defaultSettings: UserSettings = { timeZone: 'UTC', quietHours: null, digestAt: '08:00' }

const formats = new Map<string, Intl.DateTimeFormat>()

/** The time of day in a time zone, `HH:MM`. */
function timeOfDay(timeZone: string, now: number): string {
  const format =
    formats.get(timeZone) ??
    new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
  formats.set(timeZone, format)
  return format.format(now)
}

/** Whether a time (epoch milliseconds) is in the quiet hours. Pure. */
export function isQuiet({ timeZone, quietHours }: UserSettings, now: number): boolean {
  if (quietHours === null) return false
  const { from, to } = quietHours
  const time = timeOfDay(timeZone, now)
  return from < to ? from <= time && time < to : from <= time || time < to
}

const daily = (time: string) => `${Number(time.slice(3))} ${Number(time.slice(0, 2))} * * *`
const next = (expression: string, timeZone: string, now: number) => nextRuns(expression, timeZone, now, 1)[0]

/** When the quiet hours next end after a time (epoch milliseconds), ISO 8601 UTC; null without quiet hours. Pure. */
export function quietUntil({ timeZone, quietHours }: UserSettings, now: number): string | null {
  const end = quietHours === null ? undefined : next(daily(quietHours.to), timeZone, now)
  return end === undefined ? null : isoTime(end)
}

/** When a notification of this time (epoch milliseconds) that quiet hours hold is due, ISO 8601 UTC. Pure. */
export function heldUntil(settings: UserSettings, time: number): string {
  // Under changed settings, it may not be in the quiet hours any more.
  return (isQuiet(settings, time) ? quietUntil(settings, time) : null) ?? isoTime(time)
}

/**
 * When a digest of a channel is next due after a time (epoch milliseconds), ISO 8601 UTC: at the next full hour, or at
 * `digestAt` in the user's time zone. Pure.
 */
export function nextDigest(
  { timeZone, digestAt }: UserSettings,
  every: 'HOURLY' | 'DAILY',
  now: number,
): string | null {
  const due = next(every === 'HOURLY' ? '0 * * * *' : daily(digestAt), timeZone, now)
  return due === undefined ? null : isoTime(due)
}
