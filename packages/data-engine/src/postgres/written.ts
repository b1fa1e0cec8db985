import { AssayError } from '@assay/service-kit/errors'
import type { SqlText } from '../plan.ts'
import type { Fragment } from '../sql/fragment.ts'
import { isValue, requirePlainTokens, textWithoutComments } from '../sql/plain-tokens.ts'
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

/**
 * Words before a bracket that a SELECT may have in addition: aggregates, window functions and keywords. No function that
 * FROM may call is among them: a name after its alias and a dot, such as f.regclass, would call any function with its value.
 */
const allowedInSelect: ReadonlySet<string> = new Set([
  ...allowed,
  ...`array array_agg as avg bit_and bit_or bool_and bool_or by corr count covar_pop covar_samp cume_dist dense_rank
  distinct every except exists filter first_value from group having intersect join lag last_value
  lateral lead limit materialized max min mode ntile nth_value offset on over percent_rank percentile_cont
  percentile_disc rank row_number select some stddev stddev_pop stddev_samp string_agg sum union using values var_pop
  var_samp variance where within`.split(/\s+/),
])
const refusedInSelect: ReadonlySet<string> = new Set([
  ...ofSession,
  ...['into', 'table', 'tablesample', 'collate', 'only', 'rows'],
])
/**
 * The first words of the types to which values may be cast. The values of others depend on the catalog of the server: a
 * number would become the name of any table or user.
 */
const types: ReadonlySet<string> = new Set(
  `bigint bit bool boolean bpchar bytea char character cidr date daterange dec decimal double float float4 float8 inet
  int int2 int4 int4range int8 int8range integer interval json jsonb macaddr money numeric numrange oid point real
  smallint text time timestamp timestamptz timetz tsrange tstzrange uuid varbit varchar`.split(/\s+/),
)
/** Texts that are times relative to now. */
const changing = /\b(?:now|today|tomorrow|yesterday)\b/i
/** Words after which a text may stand. After others it would be a value of the type of that name. */
const beforeText: ReadonlySet<string> = new Set([
  ...types,
  ...`all and between both by case distinct else escape for from having ilike in leading like limit not offset on or
  precision select similar symmetric then to trailing varying when where zone`.split(/\s+/),
])

/** Functions that contain FROM within brackets, as in extract(year FROM made). */
const ofFunctions: ReadonlySet<string> = new Set(['extract', 'trim', 'substring'])

function refuse(sentence: string): never {
  throw new AssayError('invalid', sentence)
}

/** Refuses text that closes its brackets, calls an unknown function, or, in an expression, reads anything but the row. */
function requireHarmless(text: string, form: Form): void {
  const isSelect = form === 'select'
  const [functions, words] = isSelect ? [allowedInSelect, refusedInSelect] : [allowed, refusedWords]
  const all = tokenize(text)
  requirePlainTokens(all)
  const tokens = all.filter(({ kind }) => kind !== 'blank')
  const open: string[] = []
  tokens.forEach(({ kind, text: part }, index) => {
    if (part === ';') refuse(`Write one ${isSelect ? 'SELECT' : 'expression'} only, without a semicolon.`)
    if (part === '(') open.push(tokens[index - 1]?.text.toLowerCase() ?? '')
    if (part === ')' && open.pop() === undefined) refuse('A closing bracket has no opening bracket.')
    if (part === ',' && open.length === 0 && !isSelect) refuse('Write one expression over the columns of a row.')
    const [previous, after] = [tokens[index - 1], tokens[index + 1]]
    // After anything else, the name may be that of a function.
    if (part === '.' && previous?.kind !== 'word' && previous?.kind !== 'name')
      refuse('Only the name of a table can stand before a dot.')
    const becomesType = after?.text === ':' || (after?.text.toLowerCase() === 'as' && open.at(-1) === 'cast')
    if (kind === 'string' && changing.test(part) && (becomesType || types.has(previous?.text.toLowerCase() ?? '')))
      refuse(`${part} changes with time, and a check has to be repeatable: write current_date or current_timestamp.`)
    if (kind !== 'word' && kind !== 'name') return
    const word = part.toLowerCase()
    // Tables of the server can be read without their schema. All their names begin with pg_.
    if (isSelect && /^"?pg_/.test(word)) refuse(`The name ${part} cannot be used here: it may belong to the server.`)
    const before = previous?.text.toLowerCase()
    const isQualified = before === '.'
    const isCast = before === ':' && tokens[index - 2]?.text === ':'
    const isType = isCast || (before === 'as' && open.at(-1) === 'cast')
    const isKnownType = kind === 'word' && types.has(word) && after?.text !== '.'
    const mayPrecedeText = kind === 'word' && !isQualified && beforeText.has(word)
    if ((isType && !isKnownType) || (isValue(after) && !mayPrecedeText)) refuse(`The type ${part} cannot be used here.`)
    const isFrom = word === 'from' && tokens.slice(0, index).some((token) => ofFunctions.has(token.text.toLowerCase()))
    if (kind === 'word' && words.has(word) && !isFrom && !isQualified)
      refuse(`${word.toUpperCase()} cannot be used here. If it is a column, write "${word}" in double quotes.`)
    // A function with a schema is user-defined, so it may do anything.
    if (after?.text === '(' && !isType && (kind === 'name' || isQualified || !functions.has(word)))
      refuse(`There is no function "${part}" to use here.`)
  })
  if (open.length > 0) refuse('An opening bracket has no closing bracket.')
}

const withoutComments = (text: string) => textWithoutComments(tokenize(text))

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
  const plain = { ...given, sql: withoutComments(given.sql) }
  requireHarmless(plain.sql, 'expression')
  const { text, bindings } = writtenSql(plain, 'expression', parameters)
  return { text: `(\n${text}\n)`, bindings }
}
