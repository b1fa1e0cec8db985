import { Cron } from 'croner'

/** Whether `zone` is an IANA time zone that this runtime knows. */
export function isTimeZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
    return true
  } catch {
    return false
  }
}

/**
 * Why a cron expression cannot be used, as a sentence; `undefined` when it can.
 * 5 fields, or 6 with seconds; names, 7 for Sunday, `?`, `L`, `#`, `@daily` and its kin. A date that never comes is refused.
 */
export function cronProblem(expression: string, timeZone: string): string | undefined {
  if (!isTimeZone(timeZone)) return `'${timeZone}' is no IANA time zone, for example Europe/Berlin.`
  const fields = expression.trim().split(/\s+/)
  if (!expression.trim().startsWith('@') && (fields.length < 5 || fields.length > 6))
    return 'A cron expression has 5 fields, or 6 with seconds.'
  try {
    if (new Cron(expression.trim(), { timezone: timeZone, paused: true }).nextRun() === null)
      return 'This cron expression names a date that never comes.'
    return undefined
  } catch {
    return `'${expression}' is no cron expression, for example '0 6 * * *'.`
  }
}

/** The next times (epoch milliseconds) after `from` at which the expression is due. */
export function nextRuns(expression: string, timeZone: string, from: number, count: number): number[] {
  return new Cron(expression.trim(), { timezone: timeZone, paused: true })
    .nextRuns(count, new Date(from))
    .map((time) => time.getTime())
}
