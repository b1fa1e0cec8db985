import { AssayError } from '@assay/service-kit/errors'
import type { SqlText } from '../plan.ts'
import type { Binding, Fragment } from './fragment.ts'
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
 * Functions that give another value at each call. A row has to be good or bad the same way each time that it is looked at, so
 * they cannot stand in a condition. (Those that change with time only are the same within one run.)
 */
const volatileFunctions = new Set(
  'random setseed uuid gen_random_uuid uuidv4 uuidv7 nextval currval txid_current sleep_ms write_log'.split(' '),
)

function requireStable(tokens: readonly Token[]): void {
  const words = tokens.filter((token) => token.kind === 'word' || token.kind === 'name')
  const found = words.find((token) => volatileFunctions.has(token.text.replaceAll('"', '').toLowerCase()))
  if (found)
    throw new AssayError('invalid', `${found.text} gives another value each time; a condition has to be repeatable.`)
}

/**
 * What the time is called, and its type. In a condition it is the start of the run, for a row has to be as good in the second scan as
 * it was in the first.
 */
const times: { [word: string]: string } = {
  current_timestamp: 'TIMESTAMPTZ',
  current_date: 'DATE',
  current_localtimestamp: 'TIMESTAMP',
  localtimestamp: 'TIMESTAMP',
  now: 'TIMESTAMPTZ',
  get_current_timestamp: 'TIMESTAMPTZ',
  transaction_timestamp: 'TIMESTAMPTZ',
  today: 'DATE',
}
/** These are the time only when they are called; else they may be a column. */
const timeFunctions = new Set([
  'now',
  'get_current_timestamp',
  'transaction_timestamp',
  'today',
  'current_localtimestamp',
])

function freezeTime(tokens: readonly Token[], startedAt: string): Token[] {
  const frozen: Token[] = []
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at]
    if (!token) break
    const word = token.kind === 'word' ? token.text.toLowerCase() : ''
    const type = Object.hasOwn(times, word) && frozen.at(-1)?.text !== '.' ? times[word] : undefined
    const called = tokens[at + 1]?.text === '(' && tokens[at + 2]?.text === ')'
    if (type === undefined || (timeFunctions.has(word) && !called)) {
      frozen.push(token)
      continue
    }
    frozen.push({ kind: 'word', text: `CAST(TIMESTAMPTZ '${startedAt}' AS ${type})` })
    if (called) at += 2
  }
  return frozen
}

function bind(tokens: readonly Token[], variables: SqlText['variables'], parameters: Parameters): Fragment {
  const bindings: { [name: string]: Binding } = {}
  const text = tokens.map((token) => {
    if (token.kind !== 'variable') return token.text
    const [key = '', form] = token.text.slice(2, -1).split(/:(?=text$)/)
    const value = Object.hasOwn(variables, key) ? variables[key] : undefined
    if (value === undefined) throw new AssayError('invalid', `The variable ${token.text} is not known.`)
    const name = parameters.next()
    bindings[name] = form === 'text' ? String(value) : value
    return ` $${name} `
  })
  return { text: text.join(''), bindings }
}

/**
 * People's expression over one row, in brackets that it cannot leave, with `${key}` as parameters: never within strings, quoted
 * names or comments. Rejects with `invalid` what is not one closed expression; whether it means something the engine says.
 */
export function rowExpression(given: SqlText, parameters: Parameters): Fragment {
  const tokens = tokenize(given.sql)
  if (tokens.every((token) => token.kind === 'blank')) throw new AssayError('invalid', 'The expression is empty.')
  requireClosed(tokens)
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
  if (kept.every((token) => token.kind === 'blank')) throw new AssayError('invalid', 'The SELECT is empty.')
  requireClosed(kept)
  return bind(kept, given.variables, parameters)
}
