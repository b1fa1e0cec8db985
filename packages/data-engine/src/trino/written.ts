import { AssayError } from '@assay/service-kit/errors'
import type { SqlText } from '../plan.ts'
import type { Fragment } from '../sql/fragment.ts'
import { requirePlainTokens, textWithoutComments } from '../sql/plain-tokens.ts'
import { type Token, tokenize } from '../sql/tokens.ts'
import type { Form } from '../sql/tree/guard.ts'
import { type Parameters, type Spelling, writtenSql } from '../sql/written.ts'

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/))

/** Functions that depend only on their arguments and have no effects, and keywords before a bracket. */
const callable = words(
  `abs and any_match array between case cast ceil ceiling coalesce concat concat_ws contains date date_add date_diff
  date_format date_parse date_trunc day day_of_month day_of_week day_of_year decimal else exp extract floor format
  from_iso8601_date from_iso8601_timestamp from_unixtime greatest hour if in is is_finite is_infinite is_json_scalar
  is_nan json_array_length json_extract json_extract_scalar json_format json_parse least length levenshtein_distance
  like ln log10 log2 lower lpad ltrim luhn_check mod minute month not nullif or position pow power quarter
  regexp_count regexp_extract regexp_like regexp_replace replace reverse round row rpad rtrim second sign split_part
  sqrt starts_with strpos substr substring then time timestamp to_iso8601 to_unixtime trim truncate try try_cast upper
  varchar week when year year_of_week`,
)
const refusedWords = words(
  `current_catalog current_path current_role current_schema current_user all any collate describe distinct exists explain from function having into match_recognize over select some table
  tablesample union unnest values window with`,
)

/** Words before a bracket that a SELECT may have in addition: aggregates, window functions and keywords. */
const callableInSelect = new Set([
  ...callable,
  ...words(`all any approx_distinct approx_percentile array_agg arbitrary as avg bool_and bool_or by corr count count_if
  covar_pop covar_samp cume_dist dense_rank distinct every except exists filter first_value from group having
  intersect join lag last_value lateral lead limit listagg max max_by min min_by nth_value ntile offset on over partition
  percent_rank rank row_number select some stddev stddev_pop stddev_samp sum union using var_pop var_samp variance
  where within`),
])
const refusedInSelect = words(
  'current_catalog current_path current_role current_schema current_user collate describe explain function into match_recognize table tablesample unnest values window',
)

/** Functions that contain FROM within brackets, as in extract(year FROM made). */
const ofFunctions = words('extract trim substring')

function refuse(sentence: string): never {
  throw new AssayError('invalid', sentence)
}

/** Refuses text that closes its brackets, calls an unknown function, or, in an expression, reads anything but the row. */
function requireHarmless(all: readonly Token[], form: Form): void {
  const isSelect = form === 'select'
  const [functions, refused] = isSelect ? [callableInSelect, refusedInSelect] : [callable, refusedWords]
  requirePlainTokens(all)
  const tokens = all.filter(({ kind }) => kind !== 'blank')
  const open: string[] = []
  tokens.forEach((token, index) => {
    const { kind, text: part } = token
    if (part === ';') refuse(`Write one ${isSelect ? 'SELECT' : 'expression'} only, without a semicolon.`)
    if (part === '(') open.push(tokens[index - 1]?.text.toLowerCase() ?? '')
    if (part === ')' && open.pop() === undefined) refuse('A closing bracket has no opening bracket.')
    if (part === ',' && open.length === 0 && !isSelect) refuse('Write one expression over the columns of a row.')
    if (kind !== 'word' && kind !== 'name') return
    const word = part.toLowerCase()
    const isFrom = word === 'from' && ofFunctions.has(open.at(-1) ?? '')
    if (kind === 'word' && refused.has(word) && !isFrom) refuse(`${word.toUpperCase()} cannot be used here.`)
    // A function with a schema is user-defined, so it may do anything.
    const isPlain = kind === 'word' && tokens[index - 1]?.text !== '.'
    if (tokens[index + 1]?.text === '(' && !(isPlain && functions.has(word)))
      refuse(`There is no function "${part}" to use here.`)
  })
  if (open.length > 0) refuse('An opening bracket has no closing bracket.')
}

/** The start of the run, which stands for the current time. */
function frozenTime(startedAt: string, type: string): string {
  const [day = '', clock = ''] = startedAt.replace('Z', '').split('T')
  if (type === 'DATE') return `DATE '${day}'`
  if (type === 'TIME') return `TIME '${clock}'`
  if (type === 'TIMETZ') return `TIME '${clock}+00:00'`
  return `TIMESTAMP '${day} ${clock}${type === 'TIMESTAMPTZ' ? ' UTC' : ''}'`
}

const spelling: Spelling = {
  frozenTime,
  asText: (value) => `CAST(${value} AS varchar)`,
  exactNumber: (value, scale) => `CAST(${value} AS DECIMAL(38, ${scale}))`,
}

const withoutComments = (text: string) => textWithoutComments(tokenize(text))

function written(given: SqlText, form: Form, parameters: Parameters): Fragment {
  const { text, bindings, pieces } = writtenSql(given, form, parameters, spelling)
  // A replaced variable or current time is a value.
  requireHarmless(
    pieces.flatMap(({ source, text: own }): Token[] =>
      source === own ? tokenize(own) : [{ kind: 'number', text: own }],
    ),
    form,
  )
  return { text, bindings }
}

/** A user's SELECT without comments and without the semicolon at its end. */
export const plainSelect = (given: SqlText): SqlText => ({
  ...given,
  sql: withoutComments(given.sql).replace(/;\s*$/, ''),
})

/** Converts a plain SELECT to a part of a statement. Its tables are not checked. */
export const writtenSelect = (plain: SqlText, parameters: Parameters): Fragment => written(plain, 'select', parameters)

/** Converts a user's expression to a part of a statement, without comments, in brackets that it cannot close. */
export function writtenExpression(given: SqlText, parameters: Parameters): Fragment {
  const { text, bindings } = written({ ...given, sql: withoutComments(given.sql) }, 'expression', parameters)
  return { text: `(\n${text}\n)`, bindings }
}
