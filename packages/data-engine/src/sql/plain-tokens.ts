import { AssayError } from '@assay/service-kit/errors'
import type { Token } from './tokens.ts'

function refuse(sentence: string): never {
  throw new AssayError('invalid', sentence)
}

const isSolid = ({ kind }: Token) => kind !== 'blank'
/** A text, or a variable that may become one. */
export const isValue = (token: Token | undefined): boolean => token?.kind === 'string' || token?.kind === 'variable'

/**
 * Throws `invalid` for tokens that some servers end elsewhere: what is text for the tokenizer would then be SQL for the
 * server. The tokens are without comments.
 */
export function requirePlainTokens(tokens: readonly Token[]): void {
  tokens.forEach((token, index) => {
    const { kind, text } = token
    const [next, second] = [tokens[index + 1], tokens[index + 2]]
    if (kind === 'string' && !/^(?:'|[xX]'[^']*'$)/.test(text))
      refuse(`Write a text in single quotes instead of ${text.slice(0, 20)}`)
    // PostgreSQL joins texts on two lines, and reads the second one like the first.
    if (isValue(token) && isValue(tokens.slice(index + 1).find(isSolid)))
      refuse('Write one text, or || between two: a text cannot directly follow another one.')
    if (/^u$/i.test(text) && next?.text === '&' && (second?.kind === 'string' || second?.kind === 'name'))
      refuse('Write the characters themselves instead of U& and their codes.')
    if (text === '`') refuse('Write names in double quotes, not in backticks.')
    if (text === '\\') refuse('A backslash can be used only in texts.')
    // Servers take some of these characters for letters, others for blanks.
    if ((kind === 'symbol' || kind === 'blank') && /[^\x20-\x7e\t\n\r\f]/.test(text))
      refuse('Outside of texts and quoted names, write letters, digits and ASCII signs only.')
  })
}

/** The text of tokens without comments: quotes within comments need not be closed, and servers nest them differently. */
export const textWithoutComments = (tokens: readonly Token[]): string =>
  tokens.map(({ kind, text }) => (kind === 'blank' && /^[-/]/.test(text) ? ' ' : text)).join('')
