import { asciiBlanks, type NumberParts } from '../sql/number-text.ts'
import { textLiteral } from '../sql/quote.ts'

const extracted = (text: string, pattern: string) => `regexp_extract(${text}, ${textLiteral(pattern)}, 1)`

/**
 * SQL of the parts of a text that is a number, maybe with blanks around it. Each part names the text once, because the
 * server's planning time grows with the length of a statement.
 */
export function numberParts(text: string): NumberParts {
  const digits = `TRIM(BOTH '0' FROM regexp_replace(${text}, '[eE].*|[^0-9]+', ''))`
  const significant = extracted(text, `\\A${asciiBlanks}*[+-]?0*([1-9][0-9]*)`)
  const zeros = extracted(text, '[.](0*)')
  const exponent = `CAST(${extracted(text, '[eE]([+-]?[0-9]+)')} AS bigint)`
  const place = `(coalesce(length(${significant}), -length(${zeros}), 0) + coalesce(${exponent}, 0))`
  const sign = `CASE WHEN ${digits} = '' THEN 0 WHEN position('-' IN ltrim(${text})) = 1 THEN -1 ELSE 1 END`
  return { sign, place, digits }
}
