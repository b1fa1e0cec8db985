import { AssayError } from '@assay/service-kit/errors'
import { type Token, tokenize } from './tokens.ts'

/** Escape strings, dollar quotes and comments; blanks that are not ASCII. */
const ambiguous =
  /^(?:[eE]'|\$|--|\/\*)|^\s*[^ -~\s]|[\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]/

/**
 * The tokens of a SQL text, without blanks, where this reading of it and the engine's cannot differ. Rejects with `invalid`
 * what the engine could cut elsewhere: escape strings (a string behind one goes on with its escapes), dollar quotes, comments,
 * strings that follow each other, prefixes of strings (`U&'…'`, `N'…'`), blanks of other scripts.
 */
export function plainTokens(text: string): Token[] {
  const tokens = tokenize(text)
  let before: Token | undefined
  let last: Token | undefined
  for (const token of tokens) {
    const isQuoted = token.kind === 'string' || token.kind === 'name'
    const isAmbiguous = (token.kind === 'string' || token.kind === 'blank') && ambiguous.test(token.text)
    const followsString = token.kind === 'string' && before?.kind === 'string'
    const hasPrefix = isQuoted && last !== undefined && (last.kind === 'word' || last.text === '&')
    if (isAmbiguous || followsString || hasPrefix)
      throw new AssayError('invalid', 'The SQL has comments, escapes or strings that can be read in two ways.')
    if (token.kind !== 'blank') before = token
    last = token
  }
  return tokens.filter(({ kind }) => kind !== 'blank')
}
