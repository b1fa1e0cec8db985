import { AssayError } from '@assay/service-kit/errors'

export interface Token {
  kind: 'blank' | 'string' | 'name' | 'word' | 'number' | 'variable' | 'symbol'
  text: string
}

/** Characters of one SQL text. Longer ones are refused before they are looked at. */
export const longestSql = 100_000

/** Tokens that end where their pattern ends; none can look further than its own end. */
const patterns: readonly (readonly [Token['kind'], RegExp])[] = [
  ['blank', /\s+/y],
  ['number', /(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?/y],
  ['word', /[\p{L}_][\p{L}\p{N}\p{M}_$]*/uy],
]

function refuse(sentence: string): never {
  throw new AssayError('invalid', sentence)
}

const lineEnd = /[\n\r]/g
const commentMark = /\/\*|\*\//g

function commentEnd(text: string, start: number): number {
  commentMark.lastIndex = start
  let depth = 0
  for (let mark = commentMark.exec(text); mark !== null; mark = commentMark.exec(text)) {
    depth += mark[0] === '/*' ? 1 : -1
    if (depth === 0) return commentMark.lastIndex
  }
  return refuse('A comment is opened with /* and never closed.')
}

const dollarTag = /\$(?:[\p{L}_][\p{L}\p{N}_]*)?\$/uy

/** `$tag$ … $tag$` from `start`, or 0 where none opens there. */
function dollarQuoteEnd(text: string, start: number): number {
  dollarTag.lastIndex = start
  const tag = dollarTag.exec(text)?.[0]
  if (tag === undefined) return 0
  const end = text.indexOf(tag, start + tag.length)
  return end < 0 ? refuse('A text in dollar quotes is never closed.') : end + tag.length
}

/** The end of a text in quotes that opens at `start`. The quote doubled, and with `escapes` one behind a backslash, is part of it. */
function quoteEnd(text: string, start: number, escapes = false): number {
  const quote = text[start]
  for (let at = start + 1; at < text.length; at++) {
    if (escapes && text[at] === '\\') at++
    else if (text[at] === quote) {
      if (text[at + 1] !== quote) return at + 1
      at++
    }
  }
  return refuse(`A ${quote} is opened and never closed.`)
}

/** Characters that a token with a closing mark may begin with. */
const opening = new Set('/-\'"eExXbB$')
/** Signs that begin nothing longer than themselves: most texts are made of them, of words and of blanks. */
const signs = new Set('!#%&()*+,:;<=>@[\\]^`{|}~')

/** Where a token with an opening and a closing mark ends; undefined where none opens at `at`. */
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
  if (character === '\0') refuse('The SQL holds a character that cannot stand in it.')
  return { kind: 'symbol', text: character }
}

/**
 * SQL as tokens; their texts joined are the SQL again. Strings, quoted names, comments (nested) and dollar quotes are one token
 * each, so that no variable is seen inside them. Rejects with `invalid` what is not closed, parameters, and what is too long.
 * What the SQL means is for the engine's own parser to say.
 */
export function tokenize(text: string): Token[] {
  if (text.length > longestSql) refuse(`The SQL has ${text.length} characters; at most ${longestSql} are allowed.`)
  const tokens: Token[] = []
  for (let at = 0; at < text.length; ) {
    const token = tokenAt(text, at)
    tokens.push(token)
    at += token.text.length
  }
  return tokens
}

/** The place of the next token that is no blank, or -1. `step` -1 looks back. */
export function besides(tokens: readonly Token[], at: number, step: 1 | -1 = 1): number {
  let place = at + step
  while (tokens[place]?.kind === 'blank') place += step
  return tokens[place] ? place : -1
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
