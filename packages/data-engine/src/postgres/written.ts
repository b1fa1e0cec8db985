import { AssayError } from '@assay/service-kit/errors'
import type { SqlText } from '../plan.ts'
import type { Fragment } from '../sql/fragment.ts'
import { tokenize } from '../sql/tokens.ts'
import type { Form } from '../sql/tree/guard.ts'
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
/** Words that say who reads, or where. */
const ofSession = [
  'current_catalog',
  'current_role',
  'current_schema',
  'current_user',
  'session_user',
  'system_user',
  'user',
]
const refusedWords: ReadonlySet<string> = new Set([
  ...ofSession,
  ...['select', 'from', 'with', 'table', 'values', 'over', 'collate'],
])

/** Words before a bracket that a SELECT may have in addition: aggregates, window functions and keywords. */
const allowedInSelect: ReadonlySet<string> = new Set([
  ...allowed,
  ...`array array_agg as avg bit_and bit_or bool_and bool_or by corr count covar_pop covar_samp cume_dist dense_rank
  distinct every except exists filter first_value from generate_series group having intersect join lag last_value
  lateral lead limit materialized max min mode ntile nth_value offset on over percent_rank percentile_cont
  percentile_disc rank row_number select some stddev stddev_pop stddev_samp string_agg sum union using values var_pop
  var_samp variance where within`.split(/\s+/),
])
const refusedInSelect: ReadonlySet<string> = new Set([
  ...ofSession,
  ...['into', 'table', 'tablesample', 'collate', 'only', 'rows'],
])
/** Types whose values are names in the catalog of the server: a number would become the name of any table or user. */
const ofCatalog = /^"?reg(?:class|collation|config|dictionary|namespace|oper|operator|proc|procedure|role|type)"?$/

/** Functions that contain FROM within brackets, as in extract(year FROM made). */
const ofFunctions: ReadonlySet<string> = new Set(['extract', 'trim', 'substring'])

function refuse(sentence: string): never {
  throw new AssayError('invalid', sentence)
}

/** Refuses text that closes its brackets, calls an unknown function, or, in an expression, reads anything but the row. */
function requireHarmless(text: string, form: Form): void {
  const isSelect = form === 'select'
  const [functions, words] = isSelect ? [allowedInSelect, refusedInSelect] : [allowed, refusedWords]
  const tokens = tokenize(text).filter(({ kind }) => kind !== 'blank')
  let depth = 0
  tokens.forEach(({ kind, text: part }, index) => {
    if (part === ';') refuse(`Write one ${isSelect ? 'SELECT' : 'expression'} only, without a semicolon.`)
    if (part === '(') depth += 1
    if (part === ')') depth -= 1
    if (depth < 0) refuse('A closing bracket has no opening bracket.')
    if (part === ',' && depth === 0 && !isSelect) refuse('Write one expression over the columns of a row.')
    if (kind !== 'word' && kind !== 'name') return
    const word = part.toLowerCase()
    // Tables of the server can be read without their schema. All their names begin with pg_.
    if (isSelect && /^"?pg_/.test(word)) refuse(`The name ${part} cannot be used here: it may belong to the server.`)
    const [before, after] = [tokens[index - 1]?.text.toLowerCase() ?? '', tokens[index + 1]]
    if (ofCatalog.test(word) && (before === ':' || before === 'as' || after?.kind === 'string'))
      refuse(`The type ${part} cannot be used here: it reads the catalog of the server.`)
    const isCall = after?.text === '('
    const isFrom = word === 'from' && tokens.slice(0, index).some((token) => ofFunctions.has(token.text.toLowerCase()))
    if (kind === 'word' && words.has(word) && !isFrom) refuse(`${word.toUpperCase()} cannot be used here.`)
    // A function with a schema is user-defined, so it may do anything.
    const isQualified = before === '.'
    if (isCall && (kind === 'name' || isQualified || !functions.has(word)))
      refuse(`There is no function "${part}" to use here.`)
  })
  if (depth !== 0) refuse('An opening bracket has no closing bracket.')
}

/** The text without its comments, because quotes within comments need not be closed. */
const withoutComments = (text: string) =>
  tokenize(text)
    .map((token) => (token.kind === 'blank' && /^[-/]/.test(token.text) ? ' ' : token.text))
    .join('')

/** A user's SELECT without comments and without the semicolon at its end. */
export const plainSelect = (given: SqlText): SqlText => ({
  ...given,
  sql: withoutComments(given.sql).replace(/;\s*$/, ''),
})

/** Converts a plain SELECT to a part of a statement. Its tables are not checked. */
export function writtenSelect(plain: SqlText, parameters: Parameters): Fragment {
  requireHarmless(plain.sql, 'select')
  const { text, bindings } = writtenSql(plain, 'select', parameters)
  return { text, bindings }
}

/** Converts a user's expression to a part of a statement, without comments, in brackets that it cannot close. */
export function writtenExpression(given: SqlText, parameters: Parameters): Fragment {
  requireHarmless(given.sql, 'expression')
  const { text, bindings } = writtenSql({ ...given, sql: withoutComments(given.sql) }, 'expression', parameters)
  return { text: `(\n${text}\n)`, bindings }
}
