import { AssayError } from '@assay/service-kit/errors'
import type { SqlText } from '../plan.ts'
import type { Fragment } from '../sql/fragment.ts'
import { tokenize } from '../sql/tokens.ts'
import { type Parameters, writtenSql } from '../sql/written.ts'

/**
 * The functions that users' expressions may call: functions that depend only on their arguments. Refuses all others,
 * and the keywords of SELECT, because an expression reads only its row.
 */
const allowed: ReadonlySet<string> = new Set(
  `abs and any between btrim case cast ceil ceiling char_length coalesce concat date_part date_trunc decimal else
  exp extract floor greatest in initcap is least left length like ln lower lpad ltrim make_date mod not nullif
  numeric or position power regexp_match regexp_replace replace reverse right round row rpad rtrim sign split_part sqrt
  starts_with strpos substr substring then to_char trim trunc upper varchar when`.split(/\s+/),
)
const refusedWords: ReadonlySet<string> = new Set(['select', 'from', 'with', 'table', 'values', 'over', 'collate'])

/** Functions that contain FROM within brackets, as in extract(year FROM made). */
const ofFunctions: ReadonlySet<string> = new Set(['extract', 'trim', 'substring'])

function refuse(sentence: string): never {
  throw new AssayError('invalid', sentence)
}

/** Refuses text that closes its brackets, reads anything but the row, or calls an unknown function. */
function requireHarmless(text: string): void {
  const tokens = tokenize(text).filter(({ kind }) => kind !== 'blank')
  let depth = 0
  tokens.forEach(({ kind, text: part }, index) => {
    if (part === ';') refuse('Write one expression only, without a semicolon.')
    if (part === '(') depth += 1
    if (part === ')') depth -= 1
    if (depth < 0) refuse('A closing bracket has no opening bracket.')
    if (part === ',' && depth === 0) refuse('Write one expression over the columns of a row.')
    if (kind !== 'word' && kind !== 'name') return
    const word = part.toLowerCase()
    const isCall = tokens[index + 1]?.text === '('
    const isFrom = word === 'from' && tokens.slice(0, index).some((token) => ofFunctions.has(token.text.toLowerCase()))
    if (kind === 'word' && refusedWords.has(word) && !isFrom) refuse(`${word.toUpperCase()} cannot be used here.`)
    // A function with a schema is user-defined, so it may do anything.
    const isQualified = tokens[index - 1]?.text === '.'
    if (isCall && (kind === 'name' || isQualified || !allowed.has(word)))
      refuse(`There is no function "${part}" to use here.`)
  })
  if (depth !== 0) refuse('An opening bracket has no closing bracket.')
}

/** The text without its comments, because quotes within comments need not be closed. */
const withoutComments = (text: string) =>
  tokenize(text)
    .map((token) => (token.kind === 'blank' && /^[-/]/.test(token.text) ? ' ' : token.text))
    .join('')

/** Converts a user's expression to a part of a statement, without comments, in brackets that it cannot close. */
export function writtenExpression(given: SqlText, parameters: Parameters): Fragment {
  requireHarmless(given.sql)
  const { text, bindings } = writtenSql({ ...given, sql: withoutComments(given.sql) }, 'expression', parameters)
  return { text: `(\n${text}\n)`, bindings }
}
