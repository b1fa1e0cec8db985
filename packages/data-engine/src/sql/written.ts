import { AssayError } from '@assay/service-kit/errors'
import type { SqlText } from '../plan.ts'
import type { Binding } from './fragment.ts'
import { quoteName, textLiteral } from './quote.ts'
import { nextToken, type Token, tokenize } from './tokens.ts'
import type { Form } from './tree/guard.ts'
import { lowered } from './tree/nodes.ts'

/** Generates parameter names that are unique in a plan. */
export interface Parameters {
  next(): string
  /** The value of `now()` in the plan, ISO 8601. */
  startedAt: string
}

export function planParameters(startedAt: string): Parameters {
  let last = 0
  const next = () => {
    last += 1
    return `assay_v${last}`
  }
  return { next, startedAt }
}

/**
 * The names for the current time, and their types. They stand for the start of the run, so that a row has the same
 * result in every scan.
 */
const times: { [word: string]: string } = {
  current_timestamp: 'TIMESTAMPTZ',
  current_date: 'DATE',
  current_time: 'TIMETZ',
  localtime: 'TIME',
  localtimestamp: 'TIMESTAMP',
  current_localtime: 'TIME',
  current_localtimestamp: 'TIMESTAMP',
  now: 'TIMESTAMPTZ',
  get_current_timestamp: 'TIMESTAMPTZ',
  get_current_time: 'TIMETZ',
  transaction_timestamp: 'TIMESTAMPTZ',
  today: 'DATE',
}
/** Those of these functions that are called without brackets. Any other name without brackets is a column. */
const timeWords = new Set(['current_timestamp', 'current_date', 'current_time', 'localtime', 'localtimestamp'])

/**
 * How a database writes the replacement of a variable or of the current time. Arguments and results are SQL unless
 * stated otherwise.
 */
export interface Spelling {
  /** The start of the run (ISO 8601 UTC), as a value of one of the types in `times`. */
  frozenTime(startedAt: string, type: string): string
  asText(value: string): string
  /** A number, given as text, with more digits than a double holds. */
  exactNumber(value: string, scale: number): string
}

const standard: Spelling = {
  frozenTime(startedAt, type) {
    const instant = `TIMESTAMPTZ '${startedAt}'`
    // An instant cannot be cast directly to a time of day without zone.
    const value = type === 'TIME' ? `CAST(${instant} AS TIMESTAMP)` : instant
    return `CAST(${value} AS ${type})`
  },
  asText: (value) => `CAST(${value} AS VARCHAR)`,
  exactNumber: (value, scale) => `CAST(${value} AS DECIMAL(38, ${scale}))`,
}

/** A piece of a user's text and the text that replaces it. */
interface Piece {
  source: string
  text: string
}

/** The name of a token, as the engine compares names; '' if it is not a name. */
function nameOf(token: Token): string {
  if (token.kind === 'word') return lowered(token.text)
  return token.kind === 'name' ? lowered(token.text.slice(1, -1).replaceAll('""', '"')) : ''
}

/**
 * The number of tokens that name the current time from `at` on, and the type; undefined if there are none. The guard
 * refuses all other forms.
 */
function timeAt(tokens: readonly Token[], at: number): { tokens: number; type: string } | undefined {
  const token = tokens[at]
  const name = token === undefined ? '' : nameOf(token)
  const type = Object.hasOwn(times, name) ? times[name] : undefined
  if (token === undefined || type === undefined || tokens[nextToken(tokens, at, -1)]?.text === '.') return undefined
  const open = nextToken(tokens, at)
  const close = tokens[open]?.text === '(' ? nextToken(tokens, open) : -1
  if (tokens[close]?.text === ')') return { tokens: close - at + 1, type }
  return token.kind === 'word' && timeWords.has(name) ? { tokens: 1, type } : undefined
}

const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.(\d+))?(?:[eE][+-]?\d+)?$/

/** The value of a variable's text. */
function meaningOf(text: string): Binding {
  if (text === 'true' || text === 'false') return text === 'true'
  return jsonNumber.test(text) && Number.isFinite(Number(text)) ? Number(text) : text
}

/** The scale of the exact type of a number; undefined if a double holds the number without rounding. */
function exactScale(text: string): number | undefined {
  const match = jsonNumber.exec(text)
  if (match === null || /e/i.test(text)) return undefined
  const digits = text.replace(/\D/g, '').replace(/^0+/, '').length
  const scale = match[1]?.length ?? 0
  const isSafe = scale === 0 ? Number.isSafeInteger(Number(text)) : digits <= 15
  return isSafe || Math.max(digits, scale) > 38 ? undefined : scale
}

function plain(value: SqlText['variables'][string]): Binding {
  return typeof value === 'object' ? '' : value
}

function boundVariable(
  token: Token,
  given: SqlText['variables'],
  { parameters, bindings, spelling }: { parameters: Parameters; bindings: Written['bindings']; spelling: Spelling },
) {
  const [key = '', form] = token.text.slice(2, -1).split(/:(?=text$)/)
  const value = Object.hasOwn(given, key) ? given[key] : undefined
  if (value === undefined) throw new AssayError('invalid', `The variable ${token.text.slice(0, 200)} is not known.`)
  const asText = form === 'text'
  if (typeof value === 'object' && 'column' in value) {
    const inner = 'fields' in value ? (value.fields ?? []) : []
    const column = `${quoteName(value.column)}${inner.map((field) => `[${textLiteral(field)}]`).join('')}`
    return ` ${asText ? spelling.asText(column) : column} `
  }
  const name = parameters.next()
  const written = typeof value === 'object' ? value.text : undefined
  bindings[name] = asText ? (written ?? String(value)) : written === undefined ? plain(value) : meaningOf(written)
  const scale = asText || written === undefined ? undefined : exactScale(written)
  if (scale === undefined) return ` $${name} `
  bindings[name] = written ?? ''
  return ` ${spelling.exactNumber(`$${name}`, scale)} `
}

/**
 * Users' SQL with variables as parameters and the current time as a constant. It has not been checked, so it must not
 * run.
 */
export interface Written {
  text: string
  bindings: { [name: string]: Binding }
  pieces: readonly Piece[]
}

/**
 * Binds `${key}` outside of strings, quoted names and comments, and replaces the current time by the start of the run.
 * Throws `invalid` for an empty text, unclosed tokens and unknown variables. Removes the semicolon at the end of a
 * SELECT.
 */
export function writtenSql(given: SqlText, form: Form, parameters: Parameters, spelling: Spelling = standard): Written {
  const all = tokenize(given.sql)
  const last = all.findLastIndex((token) => token.kind !== 'blank')
  const tokens = form === 'select' && all[last]?.text === ';' ? all.slice(0, last) : all
  if (tokens.every((token) => token.kind === 'blank'))
    throw new AssayError(
      'invalid',
      form === 'select'
        ? 'The SELECT is empty. Write one SELECT.'
        : 'The expression is empty. Write a condition over the columns.',
    )
  const bindings: Written['bindings'] = {}
  const pieces: Piece[] = []
  for (let at = 0; at < tokens.length; ) {
    const [token] = tokens.slice(at, at + 1)
    if (token === undefined) break
    const time = timeAt(tokens, at)
    const taken = time?.tokens ?? 1
    const source = time === undefined ? token.text : textOf(tokens.slice(at, at + taken))
    const isVariable = token.kind === 'variable'
    const kept = isVariable ? boundVariable(token, given.variables, { parameters, bindings, spelling }) : token.text
    pieces.push({ source, text: time === undefined ? kept : spelling.frozenTime(parameters.startedAt, time.type) })
    at += taken
  }
  return { text: pieces.map(({ text }) => text).join(''), bindings, pieces }
}

const textOf = (tokens: readonly Token[]) => tokens.map(({ text }) => text).join('')

/** The position in the user's text, from 1, of an offset in the resulting text. */
export function sourcePosition({ pieces }: Written, offset: number): number {
  let [at, characters] = [0, 0]
  for (const { source, text } of pieces) {
    if (offset < at + text.length) {
      const within = source === text ? source.slice(0, offset - at) : ''
      return characters + [...within].length + 1
    }
    at += text.length
    characters += [...source].length
  }
  return characters
}
