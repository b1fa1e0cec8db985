const wholeNumber = /^[+-]?(0|[1-9]\d*)$/
const decimalNumber = /^[+-]?((0|[1-9]\d*)(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/
const day = /^(\d{4})-(\d{2})-(\d{2})$/
const timestamp = /^(\d{4}-\d{2}-\d{2})[T ]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?( ?(Z|[+-]\d{2}(:?\d{2})?))?$/

type Kind = 'BIGINT' | 'DOUBLE' | 'BOOLEAN' | 'DATE' | 'TIMESTAMP' | 'JSON' | 'VARCHAR'

function isDay(text: string): boolean {
  const match = day.exec(text)
  if (match === null) return false
  const [, year = 0, month = 0, date = 0] = match.map(Number)
  const at = new Date(Date.UTC(year, month - 1, date))
  return at.getUTCMonth() === month - 1 && at.getUTCDate() === date
}

/** Maximum length of JSON to parse, in characters. Longer JSON counts as text: parsing it would block other requests. */
const longestJson = 20_000

function isJson(text: string): boolean {
  if (text.length > longestJson || !/^[[{]/.test(text)) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function fitsLong(text: string): boolean {
  return text.length <= 20 && BigInt.asIntN(64, BigInt(text)) === BigInt(text)
}

function kindOf(text: string): Kind {
  if (/^(true|false)$/i.test(text)) return 'BOOLEAN'
  if (wholeNumber.test(text)) return fitsLong(text.replace(/^\+/, '')) ? 'BIGINT' : 'DOUBLE'
  if (decimalNumber.test(text)) return 'DOUBLE'
  if (isDay(text)) return 'DATE'
  const time = timestamp.exec(text)
  if (time !== null) return isDay(time[1] ?? '') ? 'TIMESTAMP' : 'VARCHAR'
  return isJson(text) ? 'JSON' : 'VARCHAR'
}

function commonKind(one: Kind, other: Kind): Kind {
  if (one === other) return one
  const pair = new Set([one, other])
  if (pair.has('BIGINT') && pair.has('DOUBLE')) return 'DOUBLE'
  if (pair.has('DATE') && pair.has('TIMESTAMP')) return 'TIMESTAMP'
  return 'VARCHAR'
}

/**
 * The common type of all values of a text column; `undefined` if there are none, or they are just text. Values with a
 * leading zero (`007`) are text, because a number would lose it. Pure.
 */
export function inferredType(values: Iterable<unknown>): Exclude<Kind, 'VARCHAR'> | undefined {
  let known: Kind | undefined
  for (const value of values) {
    if (value === null || value === undefined) continue
    if (typeof value !== 'string') return undefined
    const text = value.trim()
    if (text === '') continue
    known = known === undefined ? kindOf(text) : commonKind(known, kindOf(text))
  }
  return known === 'VARCHAR' ? undefined : known
}
