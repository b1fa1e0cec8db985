import { AssayError } from '@assay/service-kit/errors'

export interface Token {
  kind: 'blank' | 'string' | 'name' | 'word' | 'number' | 'variable' | 'symbol'
  text: string
}

/** Maximum length of a SQL text. Longer ones are refused before they are parsed. */
export const longestSql = 100_000

/** Tokens whose pattern matches all of their text, without looking beyond their end. */
const patterns: readonly (readonly [Token['kind'], RegExp])[] = [
  ['blank', /\s+/y],
  ['number', /(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?/y],
  ['word', /[\p{L}_][\p{L}\p{N}\p{M}_$]*/uy],
]

function refuse(sentence: string): never {
  throw new AssayError('invalid', sentence)
}

const lineEnd = /[\n\r]/g
const commentDelimiter = /\/\*|\*\//g

function commentEnd(text: string, start: number): number {
  commentDelimiter.lastIndex = start
  let depth = 0
  for (let found = commentDelimiter.exec(text); found !== null; found = commentDelimiter.exec(text)) {
    depth += found[0] === '/*' ? 1 : -1
    if (depth === 0) return commentDelimiter.lastIndex
  }
  return refuse('A comment is opened with /* but not closed.')
}

const dollarTag = /\$(?:[\p{L}_][\p{L}\p{N}_]*)?\$/uy

/** The end of `$tag$ … $tag$` from `start`, or 0 if none opens there. */
function dollarQuoteEnd(text: string, start: number): number {
  dollarTag.lastIndex = start
  const tag = dollarTag.exec(text)?.[0]
  if (tag === undefined) return 0
  const end = text.indexOf(tag, start + tag.length)
  return end < 0 ? refuse('A dollar-quoted text is not closed.') : end + tag.length
}

/**
 * The end of a quoted text that opens at `start`. A doubled quote does not end it. With `escapes`, a quote after a
 * backslash does not end it either.
 */
function quoteEnd(text: string, start: number, escapes = false): number {
  const quote = text[start]
  for (let at = start + 1; at < text.length; at++) {
    if (escapes && text[at] === '\\') at++
    else if (text[at] === quote) {
      if (text[at + 1] !== quote) return at + 1
      at++
    }
  }
  return refuse(`A ${quote} is opened but not closed.`)
}

/** First characters of comments, quoted texts and variables. */
const opening = new Set('/-\'"eExXbB$')
/** Single-character tokens. Most texts consist of these, words and blanks. */
const signs = new Set('!#%&()*+,:;<=>@[\\]^`{|}~')

/** The kind and end of the comment, quoted text or variable at `at`; undefined if there is none. */
function enclosed(text: string, at: number): { kind: Token['kind']; end: number } | undefined {
  const first = text[at] ?? ''
  if (!opening.has(first)) return undefined
  const second = text[at + 1] ?? ''
  if (first === '/' && second === '*') return { kind: 'blank', end: commentEnd(text, at) }
  if (first === '-' && second === '-') {
    lineEnd.lastIndex = at
    return { kind: 'blank', end: lineEnd.exec(text)?.index ?? text.length }
  }
  if (first === "'") return { kind: 'string', end: quoteEnd(text, at) }
  if (/[eE]/.test(first) && second === "'") return { kind: 'string', end: quoteEnd(text, at + 1, true) }
  if (/[xXbB]/.test(first) && second === "'") return { kind: 'string', end: quoteEnd(text, at + 1) }
  if (first === '"') return { kind: 'name', end: quoteEnd(text, at) }
  if (first !== '$') return undefined
  const closing = second === '{' ? text.indexOf('}', at) : -1
  if (closing > 0) return { kind: 'variable', end: closing + 1 }
  const end = dollarQuoteEnd(text, at)
  return end > 0
    ? { kind: 'string', end }
    : refuse('Parameters such as $1 cannot be used; write ${key} for a variable.')
}

function tokenAt(text: string, at: number): Token {
  const sign = text[at] ?? ''
  if (signs.has(sign)) return { kind: 'symbol', text: sign }
  const found = enclosed(text, at)
  if (found !== undefined) return { kind: found.kind, text: text.slice(at, found.end) }
  for (const [kind, pattern] of sign === '/' || sign === '"' ? [] : patterns) {
    pattern.lastIndex = at
    const token = pattern.exec(text)?.[0]
    if (token !== undefined) return { kind, text: token }
  }
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0)
  if (character === '?') refuse('Parameters such as ? cannot be used; write ${key} for a variable.')
  return { kind: 'symbol', text: character }
}

/**
 * Splits SQL into tokens; joined together, they are the SQL again. A string, a quoted name, a (nested) comment or a
 * dollar quote is one token, so variables inside it are not replaced. Throws `invalid` for unclosed tokens, parameters,
 * and texts that are too long. The engine's own parser checks everything else.
 */
export function tokenize(text: string): Token[] {
  if (text.length > longestSql) refuse(`The SQL has ${text.length} characters; at most ${longestSql} are allowed.`)
  // Servers may end the SQL there, even within a text.
  if (text.includes('\0')) refuse('The SQL contains a NUL character.')
  const tokens: Token[] = []
  for (let at = 0; at < text.length; ) {
    const token = tokenAt(text, at)
    tokens.push(token)
    at += token.text.length
  }
  return tokens
}

/** The index of the next token that is not blank, or -1. `step` -1 searches backwards. */
export function nextToken(tokens: readonly Token[], at: number, step: 1 | -1 = 1): number {
  let index = at + step
  while (tokens[index]?.kind === 'blank') index += step
  return tokens[index] ? index : -1
}

/** The distinct names in double quotes in a SQL text, as written inside the quotes. Empty if it cannot be parsed. */
export function quotedNames(text: string): string[] {
  try {
    const names = tokenize(text).filter(({ kind }) => kind === 'name')
    return [...new Set(names.map(({ text: quoted }) => quoted.slice(1, -1).replaceAll('""', '"')))]
  } catch {
    return []
  }
}

/**
 * The distinct keys of `${key}` and `${key:text}` in a SQL text, except those in strings, quoted names and comments.
 */
export function variableKeys(text: string): string[] {
  try {
    const variables = tokenize(text).filter(({ kind }) => kind === 'variable')
    return [...new Set(variables.map(({ text: token }) => token.slice(2, -1).replace(/:text$/, '')))]
  } catch {
    return []
  }
}
