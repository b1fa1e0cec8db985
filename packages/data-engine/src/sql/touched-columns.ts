import { plainTokens } from './plain-tokens.ts'
import type { Token } from './tokens.ts'

/** What a text of SQL is looked at for. */
export interface Readable {
  /** Names of all columns of the table, structures as one. */
  columns: readonly string[]
  /** Whether the values of a column are protected; `columns` knows it. */
  isHidden: (column: string) => boolean
  /** Columns that parameters of a template stand for, by key. Other `${key}` are values. */
  columnVariables?: Readonly<Record<string, string>>
  /** The name of the one table that a SELECT may read. Absent: the text is an expression over a row. */
  table?: string
}

const words = (text: string) => text.trim().split(/\s+/)

/** Keywords, types and units that name no column. A column that is called so counts as a column. */
const harmless = new Set([
  ...words(
    'and or not is null isnull notnull in between symmetric like ilike similar to glob escape collate nocase noaccent',
  ),
  ...words(
    'case when then else end cast try_cast true false unknown interval distinct asc desc nulls first last any some',
  ),
  ...words(
    'over partition by order rows range unbounded preceding following current row filter within group where exclude',
  ),
  ...words(
    'at time zone with without varying precision current_date current_timestamp current_time localtime localtimestamp',
  ),
  ...words(
    'boolean bool tinyint smallint integer int bigint hugeint utinyint usmallint uinteger ubigint uhugeint int1 int2',
  ),
  ...words(
    'int4 int8 int16 int32 int64 int128 float float4 float8 real double decimal numeric dec varchar char bpchar text',
  ),
  ...words(
    'string character date timestamp timestamptz timestamp_s timestamp_ms timestamp_ns datetime timetz uuid blob bytea',
  ),
  ...words('year years month months day days hour hours minute minutes second seconds week weeks quarter quarters'),
  ...words('millisecond milliseconds microsecond microseconds decade decades century centuries millennium'),
])
const ofSelect = new Set([...harmless, ...words('select group having limit offset all')])
/** What may follow the one table: anything else joins another, or gives its columns other names. */
const afterTable = new Set(words('where group order having limit'))
/** They read columns that they do not name. */
const readsMore = new Set(words('columns unpack'))
/** They begin a query within an expression. */
const opensQuery = new Set(words('select from table values pivot unpivot describe show summarize'))

const textOf = ({ kind, text }: Token) => (kind === 'name' ? text.slice(1, -1).replaceAll('""', '"') : text)
const sameName = (name: string) => name.normalize('NFC').toLowerCase()
const lower = (token: Token | undefined) => (token === undefined ? '' : sameName(textOf(token)))
const isWord = (token: Token | undefined, text: string) => token?.kind === 'word' && lower(token) === text
const isSymbol = (token: Token | undefined, text: string) => token?.kind === 'symbol' && token.text === text

/** A `*` multiplies after a value; `count(*)` reads no column. Any other one stands for all columns. */
function isHarmlessStar(tokens: readonly Token[], at: number): boolean {
  const before = tokens[at - 1]
  if (before === undefined) return false
  if (isSymbol(before, '(')) return isSymbol(tokens[at + 1], ')') && lower(tokens[at - 2]) === 'count'
  if (before.kind === 'word') return lower(before) === 'end' || !ofSelect.has(lower(before))
  return before.kind !== 'symbol' || before.text === ')' || before.text === ']'
}

/**
 * Whether a text of SQL can read a hidden column of the table. It errs on the safe side: whatever is not known to be harmless
 * (another table, a row as a whole, `*`, `COLUMNS`, positions, names that are no column) counts as reading all columns.
 * Linear in the length of the text.
 */
export function mayReadHidden(text: string, readable: Readable): boolean {
  const { columns, isHidden, columnVariables = {}, table } = readable
  if (!columns.some(isHidden)) return false
  const known = new Map(columns.map((name) => [sameName(name), false]))
  for (const name of columns) if (isHidden(name)) known.set(sameName(name), true)
  let tokens: Token[]
  try {
    tokens = plainTokens(text)
  } catch {
    return true
  }
  const keywords = table === undefined ? harmless : ofSelect

  function readsHidden(token: Token, at: number): boolean {
    const next = tokens[at + 1]
    const before = tokens[at - 1]
    const name = lower(token)
    const isHiddenColumn = known.get(name) === true
    if (isHiddenColumn || readsMore.has(name)) return true
    if (name === 'asset' || /^assay_/.test(name)) return true
    if (token.kind === 'word' && opensQuery.has(name) && !(table !== undefined && name === 'select'))
      return !(name === 'from' && isWord(before, 'distinct'))
    // A field, a method of a value or a function: what it works on is looked at by itself.
    if (isSymbol(before, '.') || isSymbol(next, '(')) return false
    if (known.has(name)) return false
    if (table !== undefined && isWord(before, 'as')) return false
    return !(token.kind === 'word' && (name === 'as' || keywords.has(name)))
  }

  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at]
    if (token === undefined) break
    switch (token.kind) {
      case 'blank':
      case 'number':
      case 'string':
        break
      case 'variable': {
        const column = columnVariables[token.text.slice(2, -1).replace(/:text$/, '')]
        if (column !== undefined && known.get(sameName(column)) !== false) return true
        break
      }
      case 'symbol':
        // `#1` is a column by its position; other scripts' signs can be part of a name that the engine reads as one.
        if (/[#;]|[^\x20-\x7e]/.test(token.text)) return true
        if (token.text === '*' && !isHarmlessStar(tokens, at)) return true
        break
      case 'name':
      case 'word': {
        const isTable = table !== undefined && isWord(token, 'from') && !isWord(tokens[at - 1], 'distinct')
        if (!isTable) {
          if (readsHidden(token, at)) return true
          break
        }
        if (at === 0 || isSymbol(tokens[at - 1], '(') || lower(tokens[at + 1]) !== table.toLowerCase()) return true
        const follower = tokens[at + 2]
        if (follower !== undefined && !isSymbol(follower, ')') && !afterTable.has(lower(follower))) return true
        at += 1
        break
      }
      default:
        token.kind satisfies never
    }
  }
  return false
}

/**
 * Everything in a SELECT that may name a table, each once: words, quoted names, and those joined by points. Keywords and
 * columns are among them, for only the one who knows the tables can tell. `undefined` where the text cannot be read: it may
 * then name any.
 */
export function tokenWords(text: string): string[] | undefined {
  const found = new Set<string>()
  try {
    const tokens = plainTokens(text)
    let path: string[] = []
    for (const [at, token] of tokens.entries()) {
      if (token.kind !== 'name' && token.kind !== 'word' && token.kind !== 'string') continue
      const own = token.kind === 'string' ? token.text.slice(1, -1) : textOf(token)
      const isNext = isSymbol(tokens[at - 1], '.') && path.length > 0 && path.length < 8
      path = isNext ? [...path, own] : [own]
      found.add(own)
      if (path.length > 1) found.add(path.join('.'))
    }
  } catch {
    return undefined
  }
  return [...found]
}
