export interface Field {
  text: string
  quoted: boolean
}

/** Reads the quoted field that opens at `at`: its text and its end; null if the quote never closes. */
function quotedField(record: string, at: number, quote: string): { text: string; end: number } | null {
  let text = ''
  let from = at + 1
  for (;;) {
    const close = record.indexOf(quote, from)
    if (close === -1) return null
    text += record.slice(from, close)
    from = close + 1
    if (record[from] !== quote) return { text, end: from }
    text += quote
    from += 1
  }
}

/**
 * The fields of one record, by the rules of the scanner. A quote at the beginning of a field opens it. A doubled quote
 * inside is one quote. Text after the closing quote belongs to the field. Every other quote, and one that never closes,
 * is text.
 */
export function fieldsOf(record: string, delimiter: string, quote: string): Field[] {
  const fields: Field[] = []
  let at = 0
  for (;;) {
    const opened = quote !== '' && record[at] === quote ? quotedField(record, at, quote) : null
    const from = opened?.end ?? at
    const next = record.indexOf(delimiter, from)
    const text = (opened?.text ?? '') + record.slice(from, next === -1 ? undefined : next)
    fields.push({ text, quoted: opened !== null })
    if (next === -1) return fields
    at = next + delimiter.length
  }
}

/** One record as strict CSV. Quoted fields stay quoted, so that empty text and NULL stay different. */
export function recordOf(fields: readonly Field[], delimiter: string, quote: string): string {
  return fields
    .map(({ text, quoted }) => {
      if (quote === '') return text
      const odd = text.includes(quote) || text.includes('\n') || text.includes('\r') || text.includes(delimiter)
      return quoted || odd ? `${quote}${text.replaceAll(quote, quote + quote)}${quote}` : text
    })
    .join(delimiter)
}
