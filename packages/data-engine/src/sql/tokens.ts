import { AssayError } from '@assay/service-kit/errors'

export interface Token {
  kind: 'blank' | 'string' | 'name' | 'word' | 'number' | 'variable' | 'symbol'
  text: string
}

/** Order matters: what opens a string or a comment has to be seen before the symbol that it begins with. */
const patterns: readonly (readonly [Token['kind'], RegExp])[] = [
  ['blank', /\s+/y],
  ['blank', /--[^\n\r]*/y],
  ['variable', /\$\{[^}]*\}/y],
  ['string', /[eE]'(?:[^'\\]|''|\\[\s\S])*'/y],
  ['string', /[xXbB]?'(?:[^']|'')*'/y],
  ['name', /"(?:[^"]|"")*"/y],
  ['number', /(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?/y],
  ['word', /[\p{L}_][\p{L}\p{N}\p{M}_$]*/uy],
]

function refuse(sentence: string): never {
  throw new AssayError('invalid', sentence)
}

function commentEnd(text: string, start: number): number {
  let depth = 0
  for (let at = start; at < text.length; at++) {
    const two = text.slice(at, at + 2)
    if (two === '/*') depth++
    else if (two === '*/') depth--
    else continue
    at++
    if (depth === 0) return at + 1
  }
  return refuse('A comment is opened with /* and never closed.')
}

/** `$tag$ … $tag$` from `start`, or 0 where none opens there. */
function dollarQuoteEnd(text: string, start: number): number {
  const opening = /\$(?:[\p{L}_][\p{L}\p{N}_]*)?\$/uy
  opening.lastIndex = start
  const tag = opening.exec(text)?.[0]
  if (tag === undefined) return 0
  const end = text.indexOf(tag, start + tag.length)
  return end < 0 ? refuse('A text in dollar quotes is never closed.') : end + tag.length
}

function tokenAt(text: string, at: number): Token {
  if (text.startsWith('/*', at)) return { kind: 'blank', text: text.slice(at, commentEnd(text, at)) }
  for (const [kind, pattern] of patterns) {
    // An escape string that is not closed must not be taken for a word and a string that is.
    if (kind === 'word' && /^[eE]'/.test(text.slice(at, at + 2))) refuse("A ' is opened and never closed.")
    pattern.lastIndex = at
    const found = pattern.exec(text)?.[0]
    if (found !== undefined) return { kind, text: found }
  }
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0)
  if (character === '$') {
    const end = dollarQuoteEnd(text, at)
    if (end > 0) return { kind: 'string', text: text.slice(at, end) }
    refuse('Parameters such as $1 cannot be used; write ${key} for a variable.')
  }
  if (character === '?') refuse('Parameters such as ? cannot be used; write ${key} for a variable.')
  if (character === "'" || character === '"') refuse(`A ${character} is opened and never closed.`)
  if (character === '\0') refuse('The SQL holds a character that cannot stand in it.')
  return { kind: 'symbol', text: character }
}

/**
 * SQL as tokens; their texts joined are the SQL again. Strings, quoted names, comments (nested) and dollar quotes are one token
 * each, so that nothing inside them is taken for syntax. Rejects with `invalid` what is not closed, and parameters.
 */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = []
  for (let at = 0; at < text.length; ) {
    const token = tokenAt(text, at)
    tokens.push(token)
    at += token.text.length
  }
  return tokens
}

const closers: { [open: string]: string } = { '(': ')', '[': ']', '{': '}' }

/**
 * Rejects with `invalid` where brackets do not match or a `;` stands outside strings: such text could leave the brackets put around it.
 * `expected`: what one of should have been written.
 */
export function requireClosed(tokens: readonly Token[], expected: 'expression' | 'SELECT'): void {
  const open: string[] = []
  for (const { kind, text } of tokens) {
    if (kind !== 'symbol') continue
    if (text === ';') refuse(`Write one ${expected} only, without a semicolon.`)
    const closer = closers[text]
    if (closer !== undefined) open.push(closer)
    else if ((text === ')' || text === ']' || text === '}') && open.pop() !== text) refuse(`A ${text} closes nothing.`)
  }
  if (open.length > 0) refuse(`A ${open.pop()} is missing.`)
}

/** Names in double quotes in a SQL text, each once, as they are written inside the quotes. None where it cannot be read. */
export function quotedNames(text: string): string[] {
  try {
    const names = tokenize(text).filter(({ kind }) => kind === 'name')
    return [...new Set(names.map(({ text: quoted }) => quoted.slice(1, -1).replaceAll('""', '"')))]
  } catch {
    return []
  }
}

/** Keys of `${key}` and `${key:text}` in a SQL text, each once; not those in strings, quoted names and comments. */
export function variableKeys(text: string): string[] {
  try {
    const variables = tokenize(text).filter(({ kind }) => kind === 'variable')
    return [...new Set(variables.map(({ text: token }) => token.slice(2, -1).replace(/:text$/, '')))]
  } catch {
    return []
  }
}
