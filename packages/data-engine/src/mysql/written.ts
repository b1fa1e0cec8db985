import { AssayError } from '@assay/service-kit/errors'
import type { SqlText } from '../plan.ts'
import type { Fragment } from '../sql/fragment.ts'
import { type Token, tokenize } from '../sql/tokens.ts'
import type { Form } from '../sql/tree/guard.ts'
import { type Parameters, type Spelling, writtenSql } from '../sql/written.ts'
import { plainExpression } from './lexical.ts'

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/))

/** Functions that depend only on their arguments and have no effects. All others are refused. */
const functions = words(
  `abs acos ascii asin atan atan2 bit_count bit_length cast ceil ceiling char_length character_length coalesce concat
  concat_ws conv convert cos crc32 date date_add date_format date_sub datediff day dayname dayofmonth dayofweek dayofyear
  degrees elt exp extract field find_in_set floor format greatest hex hour if ifnull insert instr json_contains
  json_extract json_length json_type json_unquote json_valid json_value last_day lcase least left length ln locate log
  log10 log2 lower lpad ltrim makedate maketime md5 microsecond mid minute mod month monthname nullif octet_length
  period_add period_diff position pow power quarter quote radians regexp_instr regexp_replace regexp_substr replace
  reverse right round rpad rtrim sec_to_time second sha1 sha2 sign sin sqrt str_to_date strcmp substr substring
  substring_index tan time time_format time_to_sec timediff timestamp timestampadd timestampdiff to_base64 to_days
  to_seconds trim truncate ucase unhex upper week weekday weekofyear year yearweek`,
)
/** Words after which a bracket opens an expression. */
const operators = words('and between binary case div else in interval is like mod not or regexp rlike then when xor')
/** Types with a size in brackets, in a CAST. */
const types = words('binary char datetime decimal double nchar signed time unsigned varchar')
const refusedWords = words(
  `all any collate current_role current_user distinct distinctrow exists from having into lastval lock match next nextval
  over partition previous procedure row select session_user setval some sounds system_user table union user using
  utc_date utc_time utc_timestamp values where window with`,
)
/** Functions that a SELECT may call in addition: aggregates and window functions. */
const functionsInSelect = new Set([
  ...functions,
  ...words(`avg bit_and bit_or bit_xor count cume_dist dense_rank first_value group_concat lag last_value lead max min
  nth_value ntile percent_rank rank row_number std stddev stddev_pop stddev_samp sum var_pop var_samp variance`),
])
const operatorsInSelect = new Set([
  ...operators,
  ...words(`all any as by distinct except exists from having intersect join limit offset on over partition select some
  union using values where`),
])
const refusedInSelect = words(
  `collate current_role current_user distinctrow for into lastval lock match next nextval previous procedure
  session_user setval sounds system_user table user utc_date utc_time utc_timestamp window`,
)
/** Functions with words between their arguments, as in extract(year FROM made). */
const within: Readonly<Record<string, ReadonlySet<string>>> = {
  from: words('extract trim substring substr mid'),
  using: words('convert'),
}

function refuse(sentence: string): never {
  throw new AssayError('invalid', sentence)
}

/** Refuses a bracket after a word, unless it opens an expression, or the arguments of a known function. */
function requireCallable(tokens: readonly Token[], index: number, form: Form): void {
  const [called, opening] = form === 'select' ? [functionsInSelect, operatorsInSelect] : [functions, operators]
  const [token, after] = [tokens[index], tokens[index + 1]]
  const before = tokens.slice(0, index).findLast(isSolid)
  const [word, written] = [token?.text.toLowerCase() ?? '', token?.text ?? '']
  const isPlain = token?.kind === 'word' && before?.text !== '.'
  if (isPlain && (opening.has(word) || types.has(word))) return
  if (!isPlain || !called.has(word)) refuse(`There is no function "${written}" to use here.`)
  // If a blank follows, some of these names call user-defined functions.
  if (after?.kind === 'blank') refuse(`Write ${written}( without a blank.`)
}

const isSolid = ({ kind }: Token) => kind !== 'blank'

/** Refuses text that closes its brackets, calls an unknown function, or, in an expression, reads anything but the row. */
function requireHarmless(tokens: readonly Token[], form: Form): void {
  const refused = form === 'select' ? refusedInSelect : refusedWords
  const open: string[] = []
  tokens.forEach((token, index) => {
    const next = tokens.slice(index + 1).find(isSolid)
    if (token.text === '(') open.push(tokens.slice(0, index).findLast(isSolid)?.text ?? '')
    if (token.text === ')' && open.pop() === undefined) refuse('A closing bracket has no opening bracket.')
    if (token.text === ',' && open.length === 0 && form === 'expression')
      refuse('Write one expression over the columns of a row.')
    if (token.kind !== 'word' && token.kind !== 'name' && token.kind !== 'number') return
    const word = token.text.toLowerCase()
    const isWithin = within[word]?.has(open.at(-1)?.toLowerCase() ?? '') === true
    if (token.kind === 'word' && refused.has(word) && !isWithin) refuse(`${word.toUpperCase()} cannot be used here.`)
    if (next?.text === '(') requireCallable(tokens, index, form)
  })
  if (open.length > 0) refuse('An opening bracket has no closing bracket.')
}

/** The start of the run, which stands for the current time. The session's zone is UTC. */
function frozenTime(startedAt: string, type: string): string {
  const [day = '', clock = ''] = startedAt.replace('Z', '').split('T')
  if (type === 'DATE') return `DATE '${day}'`
  return type === 'TIME' || type === 'TIMETZ' ? `TIME '${clock}'` : `TIMESTAMP '${day} ${clock}'`
}

const spelling: Spelling = {
  frozenTime,
  asText: (value) => `CAST(${value} AS CHAR)`,
  // The server has an exact literal for each number.
  exactNumber: (value) => value,
}

const isBoolean = /^(?:true|false)$/i

/** Converts a user's SQL, in its plain form, to SQL of the server. Throws `invalid` if it may not run. */
function written(plain: SqlText, form: Form, parameters: Parameters): Fragment {
  const { bindings, pieces } = writtenSql(plain, form, parameters, spelling)
  // A replaced variable or current time is a value.
  requireHarmless(
    pieces.flatMap(({ source, text }): Token[] => (source === text ? tokenize(text) : [{ kind: 'string', text }])),
    form,
  )
  // For the server, TRUE is the number 1. This form makes it a condition.
  const parts = pieces.map(({ text }) => (isBoolean.test(text) ? ` (1 = ${/^t/i.test(text) ? 1 : 0}) ` : text))
  return { text: parts.join(''), bindings }
}

/** Converts a user's expression to a part of a statement, in brackets that it cannot close. */
export function writtenExpression(given: SqlText, parameters: Parameters): Fragment {
  const plain = { ...given, sql: plainExpression(given.sql) }
  const { text, bindings } = written(plain, 'expression', parameters)
  return { text: `(\n${text}\n)`, bindings }
}

/** A user's SELECT with its names in double quotes, without the semicolon at its end. */
export const plainSelect = (given: SqlText): SqlText => ({
  ...given,
  sql: plainExpression(given.sql.replace(/;\s*$/, '')),
})

/** Converts a plain SELECT to a part of a statement. Its tables are not checked. */
export const writtenSelect = (plain: SqlText, parameters: Parameters): Fragment => written(plain, 'select', parameters)
