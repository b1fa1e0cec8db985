import type { LogicalType, StructField } from './logical-type.ts'
import { aliases, plainDecimal, typesByName } from './type-names.ts'

/** Maximum depth. Deeper types are `other`, because no real data has such types. */
const maxLevels = 100

const unknown: LogicalType = { kind: 'other', name: '' }

/** Maximum number of words in a name. */
const maxWords = 10

/** A text that is read from left to right. */
class Reader {
  readonly text: string
  #at = 0

  constructor(text: string) {
    this.text = text
  }

  get at(): number {
    return this.#at
  }

  get isAtEnd(): boolean {
    return this.#at === this.text.length
  }

  /**
   * Reads the next part that matches the (sticky) pattern, and the blanks after it. If it does not match, reads nothing
   * and returns `undefined`.
   */
  take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const [found] = pattern.exec(this.text) ?? []
    if (found === undefined) return undefined
    this.#at += found.length
    return found.trimEnd()
  }
}

const quoted = /"(?:[^"]|"")*"\s*/y
const fieldName = /[^\s(),"]+\s+/y
const word = /[a-z_]\w*\s*/iy
const open = /\(\s*/y
const close = /\)\s*/y
const comma = /,\s*/y
const sizes = /\d{1,9}\s*(?:,\s*\d{1,9}\s*)?\)\s*/y
const brackets = /\[\d{0,9}\]\s*/y
const literal = /'(?:[^']|'')*'\s*/y
/** A piece of the text in brackets of an unknown type. */
const anything = /"(?:[^"]|"")*"|'(?:[^']|'')*'|[^"'()]+/y

/** Reads items with `one` until the bracket closes. */
function list<T>(reader: Reader, one: () => T | undefined): T[] | undefined {
  const all: T[] = []
  do {
    const next = one()
    if (next === undefined) return undefined
    all.push(next)
  } while (reader.take(comma) !== undefined)
  return reader.take(close) === undefined ? undefined : all
}

function field(reader: Reader, level: number): StructField | undefined {
  const inQuotes = reader.take(quoted)
  const name = inQuotes === undefined ? reader.take(fieldName) : inQuotes.slice(1, -1).replaceAll('""', '"')
  const type = name === undefined ? undefined : typeAt(reader, level)
  return name === undefined || type === undefined ? undefined : { name, type }
}

/** Skips the text in brackets, up to the closing one. */
function skip(reader: Reader): boolean {
  let depth = 1
  while (depth > 0) {
    if (reader.take(open) !== undefined) depth += 1
    else if (reader.take(close) !== undefined) depth -= 1
    else if (reader.take(anything) === undefined) return false
  }
  return true
}

/** Parses a type after its name and an opening bracket, which have been read. `undefined` if it is not nested. */
function nestedType(reader: Reader, name: string, level: number): LogicalType | undefined {
  if (name === 'STRUCT' || name === 'ROW') {
    const fields = list(reader, () => field(reader, level + 1))
    return fields && { kind: 'struct', fields }
  }
  if (name === 'MAP') {
    const [key, value, ...more] = list(reader, () => typeAt(reader, level + 1)) ?? []
    return key && value && more.length === 0 ? { kind: 'map', key, value } : undefined
  }
  const values = list(reader, () => reader.take(literal)?.slice(1, -1).replaceAll("''", "'"))
  // A value of MySQL's SET can have any number of the listed values.
  return values && (name === 'SET' ? { kind: 'text' } : { kind: 'text', values })
}

/** A type by its name alone. */
function withoutSizes(written: string): LogicalType | undefined {
  const alias = aliases.get(written)
  const name = alias ?? written
  if (name === 'DECIMAL') return plainDecimal
  if (name === 'STRUCT' || name === 'ROW') return { kind: 'struct', fields: [] }
  if (name === 'MAP') return { kind: 'map', key: unknown, value: unknown }
  if (name === 'LIST' || name === 'ARRAY') return { kind: 'list', of: unknown }
  if (name === 'ENUM') return { kind: 'text' }
  if (name.endsWith(' ARRAY')) return { kind: 'list', of: withoutSizes(name.slice(0, -6)) ?? unknown }
  return typesByName.get(name) ?? (alias === undefined ? undefined : { kind: 'other', name })
}

/** The maximum of PostgreSQL. The engine's own decimals have at most 38 digits. */
const maxPrecision = 1000

function decimal(precision: number, scale: number): LogicalType | undefined {
  const isOne = precision >= 1 && precision <= maxPrecision && scale <= precision
  return isOne ? { kind: 'decimal', precision, scale } : undefined
}

/** `TIMESTAMP(3)` has three digits. The engine has types for only some numbers of digits. */
function timestamp(wanted: number): LogicalType {
  const kept = ([0, 3, 6] as const).find((known) => wanted <= known)
  return { kind: 'timestamp', digits: kept ?? 9 }
}

/** The words of a name in upper case, up to a bracket, a comma or the end. */
function words(reader: Reader): string {
  const all: string[] = []
  for (let next = reader.take(word); next !== undefined; next = reader.take(word)) {
    if (all.push(next) > maxWords) return ''
  }
  return all.join(' ').toUpperCase()
}

function plainType(reader: Reader, level: number): LogicalType | undefined {
  const from = reader.at
  const other = (): LogicalType => ({ kind: 'other', name: reader.text.slice(from, reader.at).trim() })
  const first = words(reader)
  if (first === '') return undefined
  if (reader.take(open) === undefined) return withoutSizes(first) ?? other()
  if (/^(?:STRUCT|ROW|MAP|ENUM|SET)$/.test(first)) return nestedType(reader, first, level)
  const given = reader.take(sizes)?.match(/\d+/g)
  if (given == null) return skip(reader) ? other() : undefined
  const [one = 0, two = 0] = given.map(Number)
  // Part of a name may follow its sizes: TIMESTAMP(3) WITH TIME ZONE.
  const name = `${first} ${words(reader)}`.replace(/ ZEROFILL$/, '').trim()
  // MySQL's BOOLEAN.
  if (name === 'TINYINT' && one === 1) return { kind: 'boolean' }
  const known = aliases.get(name) ?? name
  if (known === 'DECIMAL') return decimal(one, two) ?? other()
  return (known === 'TIMESTAMP' ? timestamp(one) : withoutSizes(known)) ?? other()
}

function typeAt(reader: Reader, level: number): LogicalType | undefined {
  let type = level > maxLevels ? undefined : plainType(reader, level)
  if (type === undefined) return undefined
  for (let next = reader.take(brackets); next !== undefined; next = reader.take(brackets)) {
    const size = next.slice(1, -1)
    type = size === '' ? { kind: 'list', of: type } : { kind: 'list', of: type, size: Number(size) }
  }
  return type
}

/**
 * Parses the name of a type in DuckDB, in another database or in common use, ignoring case. Text that names no type
 * is `other`, too.
 */
export function parseType(name: string): LogicalType {
  const reader = new Reader(name.trim())
  const type = typeAt(reader, 0)
  return type !== undefined && reader.isAtEnd ? type : { kind: 'other', name: name.trim() }
}
