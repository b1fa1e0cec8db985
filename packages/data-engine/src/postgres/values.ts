import type { Cell } from '../push-down/connection.ts'

const oid = {
  bool: 16,
  int8: 20,
  int2: 21,
  int4: 23,
  float4: 700,
  float8: 701,
  date: 1082,
  timestamp: 1114,
  timestamptz: 1184,
  numeric: 1700,
}
const integers: ReadonlySet<number> = new Set([oid.int2, oid.int4, oid.int8])

/** ISO 8601, whose year 0 is 1 BC. */
function isoText(text: string): string {
  const [, year = '', rest = ''] = /^(\d+)(-.*) BC$/.exec(text) ?? []
  const plain =
    year === '' ? text : `${Number(year) === 1 ? '0000' : `-${String(Number(year) - 1).padStart(4, '0')}`}${rest}`
  return plain.replace(/^(\S+) (\d\d:)/, '$1T$2').replace(/\+00$/, 'Z')
}

/** A value as exact text: numbers without loss, times ISO 8601. */
export function exactText({ text, type }: Cell): string | null {
  if (text === null) return null
  if (type === oid.bool) return text === 't' ? 'true' : 'false'
  if (type === oid.float4 || type === oid.float8) return Number(text) === 0 ? '0' : String(Number(text))
  return type === oid.date || type === oid.timestamp || type === oid.timestamptz ? isoText(text) : text
}

/** The instant of a date or time, ISO 8601 UTC. */
export function instantText(cell: Cell): string | null {
  const text = exactText(cell)
  if (text === null || /infinity$/.test(text) || text.endsWith('Z')) return text
  return cell.type === oid.date ? `${text}T00:00:00Z` : `${text}Z`
}

/** A double represents every decimal of up to 15 significant digits without loss. */
const exactDigits = 15

/** A value as JSON. Values that a JSON number cannot represent exactly are text. */
export function jsonValue(cell: Cell): null | boolean | number | string {
  const text = exactText(cell)
  if (text === null) return null
  if (cell.type === oid.bool) return text === 'true'
  if (integers.has(cell.type)) return Number.isSafeInteger(Number(text)) ? Number(text) : text
  if (cell.type === oid.float4 || cell.type === oid.float8) return Number.isFinite(Number(text)) ? Number(text) : text
  const isShort = text.replace(/[-.]/g, '').replace(/^0+/, '').length <= exactDigits
  return cell.type === oid.numeric && isShort && Number.isFinite(Number(text)) ? Number(text) : text
}

export const booleanOid = oid.bool
export const numberOids: ReadonlySet<number> = new Set([...integers, oid.float4, oid.float8, oid.numeric])

const texts: ReadonlySet<number> = new Set([18, 19, 25, 1042, 1043])

/** Whether a value is text at the server. */
export const isText = ({ text, type }: Cell): boolean => text !== null && texts.has(type)
