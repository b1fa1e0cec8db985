import { formatOfLetters } from '@assay/data-engine'
import { parseInstant } from './times.ts'
import { offsetAt } from './zone-time.ts'

const parts = { yyyy: 4, MM: 2, dd: 2, HH: 2, mm: 2, ss: 2, SSS: 3 } as const
type Part = keyof typeof parts

interface Local {
  year: number
  month: number
  day: number
  hour: number
  minute: number
  second: number
  millisecond: number
}

/** The time in a marker: an instant or a whole day. */
export interface MarkerTime {
  /** ISO 8601 UTC: the instant, or the first one of the day in its zone. */
  from: string
  /** ISO 8601 UTC: the instant, or the last one of the day in its zone. */
  to: string
  /** `yyyy-MM-dd` if it is a whole day; otherwise null. */
  day: string | null
}

/** Whether a date format contains only supported parts: yyyy MM dd HH mm ss SSS, 'quoted' text and punctuation. */
export function isReadableFormat(format: string): boolean {
  return formOf(format) !== undefined
}

const longestFormat = 200

/** Splits a format into quoted text, runs of one letter (`yyyyMMdd` is three parts) and punctuation. */
const tokens = /'(?:[^']|'')*'|([A-Za-z])\1*|[^A-Za-z]/g

function formOf(format: string): { form: RegExp; order: Part[] } | undefined {
  if (format.length > longestFormat) return undefined
  const order: Part[] = []
  let form = ''
  for (const [token] of format.matchAll(tokens)) {
    if (token.startsWith("'")) form += escaped(token === "''" ? "'" : token.slice(1, -1).replaceAll("''", "'"))
    else if (/^[A-Za-z]/.test(token)) {
      if (!isPart(token) || order.includes(token)) return undefined
      order.push(token)
      form += `(\\d{${parts[token]}})`
    } else form += escaped(token)
  }
  return order.includes('yyyy') ? { form: new RegExp(`^${form}$`), order } : undefined
}

/** A date format in the data engine's notation (`%Y-%m-%d`); `undefined` if it has unsupported parts. */
export function engineFormat(format: string): string | undefined {
  return isReadableFormat(format) ? formatOfLetters(format) : undefined
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')

const isPart = (token: string): token is Part => Object.hasOwn(parts, token)

function readByFormat(text: string, format: string): { local: Local; isDay: boolean } | undefined {
  const known = formOf(format)
  const match = known?.form.exec(text)
  if (known === undefined || match == null) return undefined
  const value = (part: Part, otherwise: number) => {
    const at = known.order.indexOf(part)
    return at < 0 ? otherwise : Number(match[at + 1])
  }
  const local = {
    year: value('yyyy', 0),
    month: value('MM', 1),
    day: value('dd', 1),
    hour: value('HH', 0),
    minute: value('mm', 0),
    second: value('ss', 0),
    millisecond: value('SSS', 0),
  }
  return { local, isDay: !known.order.includes('HH') }
}

const naive = (local: Local): number =>
  Date.UTC(local.year, local.month - 1, local.day, local.hour, local.minute, local.second, local.millisecond)

function exists(local: Local): boolean {
  const back = new Date(naive(local))
  return back.getUTCMonth() + 1 === local.month && back.getUTCDate() === local.day && back.getUTCHours() === local.hour
}

/**
 * The instant at which the zone's clocks show a time. If the clocks skip that time, uses the offset from before the
 * change.
 */
function instantOf(wall: number, zone: string): number {
  const first = wall - offsetAt(wall, zone)
  return wall - offsetAt(first, zone)
}

const dayMs = 86_400_000

/**
 * Parses a date or time by `format`, or as ISO 8601 if there is none. A time without an offset is in the zone. A date
 * means its whole day. Returns `undefined` for an invalid text.
 */
export function readMarkerTime(text: string, format: string | undefined, zone: string): MarkerTime | undefined {
  const byFormat = format === undefined ? undefined : readByFormat(text.trim(), format)
  if (byFormat !== undefined) {
    return exists(byFormat.local) ? ofWall(naive(byFormat.local), byFormat.isDay, zone) : undefined
  }
  const instant = parseInstant(text)
  if (instant === undefined) return undefined
  if (!instant.isDate && /(?:Z|[+-]\d\d(?::?\d\d)?)$/i.test(text.trim())) {
    const at = new Date(Number(instant.micros / 1000n)).toISOString()
    const precise = instant.micros % 1000n === 0n ? at : withMicros(at, instant.micros)
    return { from: precise, to: precise, day: null }
  }
  return ofWall(Number(instant.micros / 1000n), instant.isDate, zone)
}

function withMicros(iso: string, micros: bigint): string {
  return iso.replace('Z', `${String(((micros % 1000n) + 1000n) % 1000n).padStart(3, '0')}Z`)
}

function ofWall(wall: number, isDay: boolean, zone: string): MarkerTime {
  const from = new Date(instantOf(wall, zone)).toISOString()
  if (!isDay) return { from, to: from, day: null }
  const last = new Date(instantOf(wall + dayMs, zone) - 1).toISOString().replace('Z', '999Z')
  return { from, to: last, day: new Date(wall).toISOString().slice(0, 10) }
}
