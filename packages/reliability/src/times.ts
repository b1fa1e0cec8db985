const isoForm =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?\s*(Z|[+-]\d\d(?::?\d\d)?)?)?$/i

/** An instant in microseconds since 1970 (UTC), and whether the text named a whole day. */
export interface Instant {
  micros: bigint
  isDate: boolean
}

/** Reads an ISO 8601 date or time; without a zone it is UTC. `undefined` if it is invalid or the day does not exist. */
export function parseInstant(text: string): Instant | undefined {
  const match = isoForm.exec(text.trim())
  if (match === null) return undefined
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((part) => Number(part ?? 0))
  if (year === undefined || year < 1) return undefined
  // Date.UTC maps the years 0 to 99 to 1900 to 1999, but many systems write the year 0001 for "no date".
  const back = new Date(Date.UTC(2000, 0, 1, hour, minute, second))
  const epoch = back.setUTCFullYear(year, (month ?? 1) - 1, day)
  if (back.getUTCMonth() + 1 !== month || back.getUTCDate() !== day) return undefined
  if ((hour ?? 0) > 23 || (minute ?? 0) > 59 || (second ?? 0) > 59) return undefined
  const fraction = BigInt((match[7] ?? '').padEnd(6, '0').slice(0, 6))
  return {
    micros: (BigInt(epoch) - BigInt(offsetMinutes(match[8] ?? 'Z')) * 60_000n) * 1000n + fraction,
    isDate: match[4] === undefined,
  }
}

function offsetMinutes(zone: string): number {
  if (/^z$/i.test(zone)) return 0
  const sign = zone.startsWith('-') ? -1 : 1
  return sign * (Number(zone.slice(1, 3)) * 60 + Number(zone.slice(3).replace(':', '') || 0))
}

/** ISO 8601 UTC, with microseconds if there are any. */
export function instantText(instant: Instant): string {
  const micros = ((instant.micros % 1_000_000n) + 1_000_000n) % 1_000_000n
  const seconds = new Date(Number((instant.micros - micros) / 1000n)).toISOString().slice(0, 19)
  return micros === 0n ? `${seconds}Z` : `${seconds}.${String(micros).padStart(6, '0').replace(/0+$/, '')}Z`
}

/** An ISO 8601 duration, as a number of calendar months and a part of fixed length. */
export interface Duration {
  months: number
  milliseconds: number
}

const durationForm =
  /^P(?=.)(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?=.)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:[.,](\d{1,3})\d*)?S)?)?$/i
const dayMs = 86_400_000

/** Reads `PT36H`, `P1D`, `P1M`, `P2W`, `P1DT12H`; `undefined` if it is invalid or zero. */
export function parseDuration(text: string): Duration | undefined {
  const match = durationForm.exec(text.trim())
  if (match === null) return undefined
  const part = (index: number) => Number(match[index] ?? 0)
  const milliseconds =
    part(3) * 7 * dayMs +
    part(4) * dayMs +
    part(5) * 3_600_000 +
    part(6) * 60_000 +
    part(7) * 1000 +
    Number((match[8] ?? '').padEnd(3, '0'))
  const months = part(1) * 12 + part(2)
  // 10,000 years, which is beyond any date in a source.
  if (months > 120_000 || milliseconds > 3_652_425 * dayMs || months + milliseconds === 0) return undefined
  return { months, milliseconds }
}

/** `epochMs` minus the duration, in UTC; a day that the month does not have becomes its last day. */
export function earlierBy(epochMs: number, { months, milliseconds }: Duration): number {
  return monthsLater(epochMs, -months) - milliseconds
}

/** `epochMs` plus the duration, in UTC; a day that the month does not have becomes its last day. */
export function laterBy(epochMs: number, { months, milliseconds }: Duration): number {
  return monthsLater(epochMs, months) + milliseconds
}

function monthsLater(epochMs: number, months: number): number {
  const from = new Date(epochMs)
  const month = new Date(from)
  month.setUTCDate(1)
  month.setUTCMonth(month.getUTCMonth() + months)
  const lastDay = new Date(Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1, 0)).getUTCDate()
  month.setUTCDate(Math.min(from.getUTCDate(), lastDay))
  return month.getTime()
}

/** Microseconds as seconds, exactly. */
export function secondsText(micros: bigint): string {
  const size = micros < 0n ? -micros : micros
  const fraction = String(size % 1_000_000n)
    .padStart(6, '0')
    .replace(/0+$/, '')
  return `${micros < 0n ? '-' : ''}${size / 1_000_000n}${fraction === '' ? '' : `.${fraction}`}`
}

/** The instant of a date or time of ISO 8601, in epoch milliseconds; `undefined` if it is invalid. */
export function instantOfText(text: string): number | undefined {
  const instant = parseInstant(text)
  return instant && Number(instant.micros / 1000n)
}
