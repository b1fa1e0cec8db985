import { AssayError } from '@assay/service-kit/errors'

function refuse(sentence: string): never {
  throw new AssayError('invalid', sentence)
}

/** The end of a text in quotes that opens at `start`; a doubled quote does not end it. */
function quoteEnd(text: string, start: number): number {
  const quote = text[start] ?? ''
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] !== quote) continue
    if (text[at + 1] !== quote) return at + 1
    at++
  }
  return refuse(`A ${quote} is opened but not closed.`)
}

/** Characters that begin comments, variables of the server, escapes or statements, with what to write instead. */
const refusedSigns: readonly (readonly [form: RegExp, sentence: string])[] = [
  [/^(?:#|--|\/\*|\*\/)/, 'Comments cannot be used here.'],
  [/^@/, 'Variables of the server cannot be used here; write ${key} for a variable.'],
  [/^\\/, 'A backslash can be used only in texts.'],
  [/^;/, 'Write one expression only, without a semicolon.'],
  [/^\|\|/, 'Write OR, or concat(a, b): the meaning of || depends on the settings of the server.'],
  // Other dialects quote texts with `$`, but here `$` is a letter in names.
  [/^\$/, 'A $ can be used only in texts and quoted names; write ${key} for a variable.'],
  [/^[{}:]/, 'This sign cannot be used here.'],
  // The server treats these characters as letters in names.
  [/^[^\x20-\x7e\t\n\r]/, 'Outside of texts and quoted names, write ASCII characters only.'],
]

/**
 * A user's expression with its names in double quotes instead of backticks, so that the common tokenizer sees the same
 * tokens as the server. Throws `invalid` for everything that servers read differently: escapes, prefixes of texts, and
 * comments, which may hide code that one of the servers runs.
 */
export function plainExpression(text: string): string {
  let result = ''
  for (let at = 0; at < text.length; ) {
    const sign = text[at] ?? ''
    if (sign === '$' && text[at + 1] === '{') {
      const end = text.indexOf('}', at)
      if (end < 0) refuse('A variable is opened with ${ but not closed.')
      result += text.slice(at, end + 1)
      at = end + 1
      continue
    }
    if (sign === '`' || sign === '"' || sign === "'") {
      const end = quoteEnd(text, at)
      const inner = text.slice(at + 1, end - 1)
      const before = /[A-Za-z0-9_$]*$/.exec(result)?.[0] ?? ''
      // N'…', X'…', _latin1'…' and similar forms are texts with a prefix.
      if (sign === "'" && before !== '') refuse(`${before}'…' cannot be used here.`)
      result += sign === '`' ? `"${inner.replaceAll('``', '`').replaceAll('"', '""')}"` : text.slice(at, end)
      at = end
      continue
    }
    const rest = text.slice(at, at + 2)
    for (const [form, sentence] of refusedSigns) if (form.test(rest)) refuse(sentence)
    result += sign
    at += 1
  }
  return result
}
