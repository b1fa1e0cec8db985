import { AssayError } from '@assay/service-kit/errors'
import type { Token } from './tokens.ts'

function refuse(sentence: string): never {
  throw new AssayError('invalid', sentence)
}

/** The place of the next token that is no blank, or -1. `step` -1 looks back. */
export function besides(tokens: readonly Token[], at: number, step: 1 | -1 = 1): number {
  let place = at + step
  while (tokens[place]?.kind === 'blank') place += step
  return tokens[place] ? place : -1
}

/** The name that a token is, as the engine compares names; '' where it is none. */
export function nameOf(token: Token | undefined): string {
  if (token?.kind === 'word') return token.text.toLowerCase()
  return token?.kind === 'name' ? token.text.slice(1, -1).replaceAll('""', '"').toLowerCase() : ''
}

export function isCalled(tokens: readonly Token[], at: number): boolean {
  return tokens[besides(tokens, at)]?.text === '('
}

/**
 * Functions that give another value at each call, or go with the time and cannot be frozen. A row has to be good or bad the same way
 * each time that it is looked at, so they cannot stand in a condition.
 */
const volatileFunctions = new Set(
  `random setseed uuid gen_random_uuid uuidv4 uuidv7 nextval currval txid_current sleep_ms write_log stats ago
   current_connection_id current_query_id current_transaction_id pg_postmaster_start_time pg_conf_load_time`.split(
    /\s+/,
  ),
)

/** `age(x)` counts from today, `age(a, b)` does not. */
function hasOneArgument(tokens: readonly Token[], open: number): boolean {
  let depth = 0
  for (let at = open; at < tokens.length; at++) {
    const text = tokens[at]?.kind === 'symbol' ? tokens[at]?.text : ''
    if (text === '(' || text === '[' || text === '{') depth += 1
    if (text === ')' || text === ']' || text === '}') depth -= 1
    if (depth === 0) return true
    if (depth === 1 && text === ',') return false
  }
  return true
}

/** Rejects with `invalid` a call that would give another value each time. A column may be called like such a function. */
export function requireStable(tokens: readonly Token[]): void {
  for (const [at, token] of tokens.entries()) {
    const name = nameOf(token)
    if (name === '' || !isCalled(tokens, at)) continue
    if (volatileFunctions.has(name))
      refuse(`${token.text} gives another value each time; a condition has to be repeatable.`)
    if (name === 'age' && hasOneArgument(tokens, besides(tokens, at)))
      refuse('age with one value counts from today; write age(a, b), for example age(current_date, a).')
  }
}

/** They tell of the engine, its settings and folders, or run SQL that is hidden in a text. */
const engineFunctions =
  /^(duckdb_\w+|pragma_\w+|current_setting|current_query|getvariable|query|query_table|json_execute_serialized_sql|which_secret)$/
/** Tables that tell the same. */
const engineTables =
  /^(duckdb_(columns|constraints|databases|indexes|logs|schemas|tables|types|views)|pragma_database_list|pg_settings|pg_prepared_statements)$/

const escapes: { [letter: string]: string } = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }

function unescaped(text: string): string {
  return text.replace(
    /\\(?:x([0-9a-f]{1,2})|u([0-9a-f]{4})|U([0-9a-f]{8})|([0-7]{1,3})|([\s\S]))/gi,
    (...found: unknown[]) => {
      const [hex, octal, letter] = [found[1] ?? found[2] ?? found[3], found[4], String(found[5] ?? '')]
      const code = hex === undefined ? Number.parseInt(String(octal), 8) : Number.parseInt(String(hex), 16)
      if (hex === undefined && octal === undefined) return escapes[letter] ?? letter
      return code <= 0x10ffff ? String.fromCodePoint(code) : ''
    },
  )
}

/** What a string token says. */
function contentOf(token: Token): string {
  if (token.text.startsWith('$')) return token.text.replace(/^\$[^$]*\$|\$[^$]*\$$/g, '')
  const inner = token.text.slice(token.text.indexOf("'") + 1, -1).replaceAll("''", "'")
  return /^e/i.test(token.text) ? unescaped(inner) : inner
}

/** Strings that follow each other over a line break are one string. */
function strings(tokens: readonly Token[]): string[] {
  const found: string[] = []
  let open = false
  for (const token of tokens) {
    if (token.kind === 'string') {
      const content = contentOf(token)
      if (open) found.push((found.pop() ?? '') + content)
      else found.push(content)
      open = true
    } else if (token.kind !== 'blank') open = false
  }
  return found
}

/** Rejects with `invalid` what would tell of the engine instead of the data: its settings name folders of the host. A text can be a table's name too. */
export function requireDataOnly(tokens: readonly Token[]): void {
  const named = tokens.find((token, at) => {
    const name = nameOf(token)
    return engineTables.test(name) || (engineFunctions.test(name) && isCalled(tokens, at))
  })
  const told = named?.text ?? strings(tokens).find((text) => engineTables.test(text.toLowerCase()))
  if (told !== undefined) refuse(`${told} tells of the engine and cannot be used; ask about the data only.`)
}
