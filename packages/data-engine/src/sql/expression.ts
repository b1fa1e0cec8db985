import { AssayError } from '@assay/service-kit/errors'
import type { SqlText } from '../plan.ts'
import type { Binding, Fragment } from './fragment.ts'
import { quoteName, textLiteral } from './quote.ts'
import { besides, isCalled, nameOf, requireDataOnly, requireStable } from './reach.ts'
import { requireClosed, type Token, tokenize } from './tokens.ts'

/** Gives parameter names that occur once in a plan, and the one time that counts as now in it. */
export interface Parameters {
  next(): string
  /** ISO 8601. */
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
 * What the time is called, and its type. In a condition it is the start of the run, for a row has to be as good in the second scan as
 * it was in the first.
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
/** These are the time without brackets too; the others then are a column. */
const timeWords = new Set(['current_timestamp', 'current_date', 'current_time', 'localtime', 'localtimestamp'])

function frozenTime(startedAt: string, type: string): Token {
  const instant = `TIMESTAMPTZ '${startedAt}'`
  // There is no cast from an instant to a time of day without zone.
  const value = type === 'TIME' ? `CAST(${instant} AS TIMESTAMP)` : instant
  return { kind: 'word', text: `CAST(${value} AS ${type})` }
}

function freezeTime(tokens: readonly Token[], startedAt: string): Token[] {
  const frozen: Token[] = []
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at]
    if (!token) break
    const name = nameOf(token)
    const type = Object.hasOwn(times, name) ? times[name] : undefined
    const open = besides(tokens, at)
    const close = isCalled(tokens, at) ? besides(tokens, open) : -1
    const called = tokens[close]?.text === ')'
    const ofSomething = tokens[besides(tokens, at, -1)]?.text === '.'
    if (type !== undefined && called && ofSomething)
      throw new AssayError('invalid', `Write ${name}() without a schema; it is the start of the run.`)
    const bare = token.kind === 'word' && timeWords.has(name) && !ofSomething
    if (type === undefined || !(called || bare)) {
      frozen.push(token)
      continue
    }
    frozen.push(frozenTime(startedAt, type))
    if (called) at = close
  }
  return frozen
}

const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.(\d+))?(?:[eE][+-]?\d+)?$/

/** What a variable's text means. */
function meaningOf(text: string): Binding {
  if (text === 'true' || text === 'false') return text === 'true'
  return jsonNumber.test(text) && Number.isFinite(Number(text)) ? Number(text) : text
}

/** The type that holds a number which a double does not hold, as far as there is one. */
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

function bind(tokens: readonly Token[], variables: SqlText['variables'], parameters: Parameters): Fragment {
  const bindings: { [name: string]: Binding } = {}
  const text = tokens.map((token) => {
    if (token.kind !== 'variable') return token.text
    const [key = '', form] = token.text.slice(2, -1).split(/:(?=text$)/)
    const value = Object.hasOwn(variables, key) ? variables[key] : undefined
    if (value === undefined) throw new AssayError('invalid', `The variable ${token.text} is not known.`)
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
  })
  return { text: text.join(''), bindings }
}

/**
 * People's expression over one row, in brackets that it cannot leave, with `${key}` as parameters: never within strings, quoted
 * names or comments. Rejects with `invalid` what is not one closed expression; whether it means something the engine says.
 */
export function rowExpression(given: SqlText, parameters: Parameters): Fragment {
  const tokens = tokenize(given.sql)
  if (tokens.every((token) => token.kind === 'blank'))
    throw new AssayError('invalid', 'The expression is empty. Write a condition over the columns.')
  requireClosed(tokens, 'expression')
  requireDataOnly(tokens)
  requireStable(tokens)
  const bound = bind(freezeTime(tokens, parameters.startedAt), given.variables, parameters)
  // The line break ends a comment that the expression may close with.
  return { text: `(${bound.text}\n)`, bindings: bound.bindings }
}

/** One SELECT, without a closing semicolon; the engine has to be asked whether it is one. */
export function selectStatement(given: SqlText, parameters: Parameters): Fragment {
  const tokens = tokenize(given.sql)
  const last = tokens.findLastIndex((token) => token.kind !== 'blank')
  const kept = tokens[last]?.text === ';' ? tokens.slice(0, last) : tokens
  if (kept.every((token) => token.kind === 'blank'))
    throw new AssayError('invalid', 'The SELECT is empty. Write one SELECT.')
  requireClosed(kept, 'SELECT')
  requireDataOnly(kept)
  return bind(kept, given.variables, parameters)
}
