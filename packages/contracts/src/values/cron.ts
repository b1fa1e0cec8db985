import { Cron } from 'croner'

const longestZone = 100
const longestExpression = 300

/** Whether `zone` is an IANA time zone that this runtime knows. */
export function isTimeZone(zone: string): boolean {
  if (zone.length > longestZone) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
    return true
  } catch {
    return false
  }
}

/**
 * Why a cron expression is unusable, as a sentence; `undefined` if it is valid. An expression has 5 fields, or 6 with
 * seconds. It may contain names, 7 for Sunday, `?`, `L`, `#`, `@daily` and similar. A date that never occurs is
 * refused.
 */
export function cronProblem(expression: string, timeZone: string): string | undefined {
  if (expression.length > longestExpression) return `A cron expression has at most ${longestExpression} characters.`
  if (!isTimeZone(timeZone))
    return `'${timeZone.slice(0, longestZone)}' is not an IANA time zone; use for example Europe/Berlin.`
  const fields = expression.trim().split(/\s+/)
  if (!expression.trim().startsWith('@') && (fields.length < 5 || fields.length > 6))
    return 'A cron expression has 5 fields, or 6 with seconds.'
  try {
    if (new Cron(expression.trim(), { timezone: timeZone, paused: true }).nextRun() === null)
      return 'This cron expression has a date that never occurs.'
    return undefined
  } catch {
    return `'${expression}' is not a cron expression; use for example '0 6 * * *'.`
  }
}

/**
 * The next due times (epoch milliseconds) after `from`. When clocks go forward, a skipped time of day is due
 * immediately after the change. When they go back, a repeated time of day is due only once. Expressions with `*` for
 * minute or hour follow real time.
 */
export function nextRuns(expression: string, timeZone: string, from: number, count: number): number[] {
  const pattern = expression.trim()
  const cron = new Cron(pattern, { timezone: timeZone, paused: true })
  const after = (time: number) => cron.nextRuns(count, new Date(time)).map((date) => date.getTime())
  if (!isAtTimesOfDay(pattern)) return after(from)
  const times: number[] = []
  for (let some = after(from); some.length > 0 && times.length < count; some = after(some.at(-1) ?? from))
    times.push(...some.filter((time) => !isRepeated(timeZone, time)))
  const moved = clockChanges(timeZone, from, times.at(-1) ?? from).filter(({ at, offsetBefore, offsetAfter }) => {
    if (offsetAfter <= offsetBefore || times.includes(at)) return false
    // If these two instants are read as UTC, the skipped times of day are between them.
    const [first] = new Cron(pattern, { timezone: 'UTC', paused: true }).nextRuns(1, new Date(at + offsetBefore - 1))
    return first !== undefined && first.getTime() < at + offsetAfter
  })
  return [...times, ...moved.map(({ at }) => at)].sort((a, b) => a - b).slice(0, count)
}

/** Whether a pattern names times of day. False for `@hourly` and similar, which name at most one. */
function isAtTimesOfDay(pattern: string): boolean {
  const fields = pattern.split(/\s+/)
  if (fields.length < 5) return false
  const [minute = '', hour = ''] = fields.slice(-5)
  return !/^[*?]/.test(minute) && !/^[*?]/.test(hour)
}

const dayMs = 86_400_000
const offsets = new Map<string, Intl.DateTimeFormat>()

/** Milliseconds by which the clocks of the zone are ahead of UTC. */
function offsetAt(timeZone: string, time: number): number {
  let format = offsets.get(timeZone)
  if (!format) {
    format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
    offsets.set(timeZone, format)
  }
  const name = format.formatToParts(time).find(({ type }) => type === 'timeZoneName')?.value ?? ''
  const match = /([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(name)
  if (!match) return 0
  const [, sign, hours, minutes, seconds = '0'] = match
  const milliseconds = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000
  return sign === '-' ? -milliseconds : milliseconds
}

/** A change of the clocks at `at`. */
interface ClockChange {
  at: number
  offsetBefore: number
  offsetAfter: number
}

/** By zone and year. Asking the runtime for an offset takes some 25 us, so a year is computed once. */
const changesByYear = new Map<string, ClockChange[]>()

function changesOfYear(timeZone: string, year: number): ClockChange[] {
  const key = `${timeZone}/${year}`
  const known = changesByYear.get(key)
  if (known !== undefined) return known
  const changes: ClockChange[] = []
  let offsetBefore = offsetAt(timeZone, Date.UTC(year))
  for (let time = Date.UTC(year); time < Date.UTC(year + 1); time += dayMs) {
    const offsetAfter = offsetAt(timeZone, time + dayMs)
    if (offsetAfter !== offsetBefore) {
      let [before, at] = [time, time + dayMs]
      while (at - before > 1) {
        const middle = Math.floor((before + at) / 2)
        if (offsetAt(timeZone, middle) === offsetBefore) before = middle
        else at = middle
      }
      changes.push({ at, offsetBefore, offsetAfter })
    }
    offsetBefore = offsetAfter
  }
  changesByYear.set(key, changes)
  return changes
}

/** The changes of the zone's clocks in (from, to], for the next two years at most. */
function clockChanges(timeZone: string, from: number, to: number): ClockChange[] {
  const end = Math.min(to, from + 2 * 366 * dayMs)
  const changes: ClockChange[] = []
  for (let year = new Date(from).getUTCFullYear(); year <= new Date(end).getUTCFullYear(); year++)
    changes.push(...changesOfYear(timeZone, year))
  return changes.filter(({ at }) => at > from && at <= end)
}

/** Whether the clocks have already shown this time of day, because they were set back in between. */
function isRepeated(timeZone: string, time: number): boolean {
  return clockChanges(timeZone, time - dayMs, time).some(
    ({ at, offsetBefore, offsetAfter }) => time < at + offsetBefore - offsetAfter,
  )
}
