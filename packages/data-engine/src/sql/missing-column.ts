import { didYouMean } from './nearest.ts'
import { type Token, tokenize } from './tokens.ts'

/** Empty for a text whose quotes only its database understands. */
function tokensOf(text: string): Token[] {
  try {
    return tokenize(text)
  } catch {
    return []
  }
}

/** ` (character 12)`: where a text names the column first; '' if it does not. */
function placeIn(text: string, name: string): string {
  let at = 1
  for (const token of tokensOf(text)) {
    const plain = token.kind === 'name' ? token.text.slice(1, -1).replaceAll('""', '"') : token.text
    const isName = token.kind === 'name' || token.kind === 'word'
    if (isName && plain.toLowerCase() === name.toLowerCase()) return ` (character ${at})`
    at += [...token.text].length
  }
  return ''
}

/**
 * The sentence about a column that does not exist. `written`: as a server names it, such as `orders.amont`. `texts`: users'
 * SQL. `columns`: those that exist. Pure.
 */
export function missingColumn(written: string, texts: readonly string[], columns: readonly string[]): string {
  const name = written.split('.').at(-1) ?? written
  // A column of another table may have this very name.
  const others = columns.filter((column) => column.toLowerCase() !== name.toLowerCase())
  const place = texts.map((text) => placeIn(text, name)).find((one) => one !== '') ?? ''
  return `There is no column "${name.slice(0, 64)}"${didYouMean(name, others)}${place}`
}
