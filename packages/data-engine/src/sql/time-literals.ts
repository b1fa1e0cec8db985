import { AssayError } from '@assay/service-kit/errors'

/** The form of a day, and of a time of day with at most microseconds; further digits must be zeros. */
export const day = '[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])'
export const clock = '([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6}0*)?)?'
export const zone = '( ?(Z|[+-][0-9]{2}(:?[0-9]{2})?))?'

export const daySeconds = 86_400

/**
 * The seconds from 1970 to an ISO 8601 time, and the digits of its fraction of a second. Null if the time does not
 * exist.
 */
export function parseTime(text: string): { seconds: number; fraction: string } | null {
  const form = new RegExp(`^(${day})(?:[ T](${clock})( ?(?:Z|[+-]\\d{2}(?::?\\d{2})?))?)?$`)
  const found = form.exec(text.trim())
  if (found === null) return null
  const date = found[1] ?? ''
  const rest = text.trim().slice(date.length)
  const [, hours = '0', minutes = '0', seconds = '0', fraction = ''] =
    /^[ T](\d\d):(\d\d)(?::(\d\d)(?:[.](\d{1,6})0*)?)?/.exec(rest) ?? []
  const [, sign, zoneHours = '0', zoneMinutes = '0'] = /([+-])(\d\d):?(\d\d)?$/.exec(rest) ?? []
  const start = Date.parse(`${date}T00:00:00Z`)
  if (Number.isNaN(start) || new Date(start).toISOString().slice(0, 10) !== date || date.startsWith('0000')) return null
  const offset = (sign === '-' ? -60 : 60) * (Number(zoneHours) * 60 + Number(zoneMinutes))
  const inDay = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
  return { seconds: start / 1000 + inDay - offset, fraction: fraction.replace(/0+$/, '') }
}

/** Epoch seconds as ISO 8601. */
export const isoOf = (seconds: number) => new Date(seconds * 1000).toISOString()

/** A time in UTC as a literal without zone. Null if the time does not exist. */
export function timeLiteral(text: string): string | null {
  const time = parseTime(text)
  if (time === null) return null
  const written = isoOf(time.seconds).slice(0, 19).replace('T', ' ')
  return `TIMESTAMP '${written}${time.fraction === '' ? '' : `.${time.fraction}`}'`
}

/** A day as a literal. Null if the day does not exist. */
export function dateLiteral(text: string): string | null {
  const time = text.trim().length === 10 ? parseTime(text) : null
  return time === null ? null : `DATE '${text.trim()}'`
}

/** The first instant of a day, or of the day after it, as a literal. Null if the day does not exist. */
export function startOfDay(text: string, next: boolean): string | null {
  const time = text.trim().length === 10 ? parseTime(text) : null
  if (time === null) return null
  const iso = isoOf(time.seconds + (next ? daySeconds : 0))
  // MariaDB and MySQL have no years after 9999.
  return iso.startsWith('+') ? "TIMESTAMP '9999-12-31 23:59:59.999999'" : `TIMESTAMP '${iso.slice(0, 10)} 00:00:00'`
}

export const clockForm = new RegExp(`^${clock}$`)

/** Throws `invalid` for null. */
export function requireTime(literal: string | null, text: string): string {
  if (literal !== null) return literal
  throw new AssayError('invalid', `"${text}" is not a date or time.`)
}
