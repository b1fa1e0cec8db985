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
  /** The value of now() in the plan, ISO 8601. */
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
 * The names of the current time, and their types. They stand for the start of the run, so that a row has the same
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
/** The functions above that are called without brackets. Other function names without brackets are names of columns. */
const timeWords = new Set(['current_timestamp', 'current_date', 'current_time', 'localtime', 'localtimestamp'])

function frozenTime(startedAt: string, type: string): string {
  const instant = `TIMESTAMPTZ '${startedAt}'`
  // An instant cannot be cast directly to a time of day without zone.
  const value = type === 'TIME' ? `CAST(${instant} AS TIMESTAMP)` : instant
  return `CAST(${value} AS ${type})`
}

/** A piece of a user's text and its replacement. */
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
 * The number of tokens of a current time from `at` on, and its type; undefined if there is none. The guard refuses all
 * other forms.
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

/** The exact type of a number that a double would round, if there is one. */
function exactType(text: string): string | undefined {
  const match = jsonNumber.exec(text)
  if (match === null || /e/i.test(text)) return undefined
  const digits = text.replace(/\D/g, '').replace(/^0+/, '').length
  const scale = match[1]?.length ?? 0
  const isSafe = scale === 0 ? Number.isSafeInteger(Number(text)) : digits <= 15
  return isSafe || Math.max(digits, scale) > 38 ? undefined : `DECIMAL(38, ${scale})`
}

function plain(value: SqlText['variables'][string]): Binding {
  return typeof value === 'object' ? '' : value
}

function boundVariable(
  token: Token,
  given: SqlText['variables'],
  parameters: Parameters,
  bindings: Written['bindings'],
) {
  const [key = '', form] = token.text.slice(2, -1).split(/:(?=text$)/)
  const value = Object.hasOwn(given, key) ? given[key] : undefined
  if (value === undefined) throw new AssayError('invalid', `The variable ${token.text.slice(0, 200)} is not known.`)
  const asText = form === 'text'
  if (typeof value === 'object' && 'column' in value) {
    const inner = 'fields' in value ? (value.fields ?? []) : []
    const column = `${quoteName(value.column)}${inner.map((field) => `[${textLiteral(field)}]`).join('')}`
    return asText ? ` CAST(${column} AS VARCHAR) ` : ` ${column} `
  }
  const name = parameters.next()
  const written = typeof value === 'object' ? value.text : undefined
  bindings[name] = asText ? (written ?? String(value)) : written === undefined ? plain(value) : meaningOf(written)
  const type = asText || written === undefined ? undefined : exactType(written)
  if (type === undefined) return ` $${name} `
  bindings[name] = written ?? ''
  return ` CAST($${name} AS ${type}) `
}

/** Users' SQL with variables as parameters and the time as a constant. It has not been checked, so it must not run. */
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
export function writtenSql(given: SqlText, form: Form, parameters: Parameters): Written {
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
    const kept = isVariable ? boundVariable(token, given.variables, parameters, bindings) : token.text
    pieces.push({ source, text: time === undefined ? kept : frozenTime(parameters.startedAt, time.type) })
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
