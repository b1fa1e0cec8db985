import type { DuckDBConnection } from '@duckdb/node-api'
import type { CsvOptions } from '../../../dataset.ts'
import { quoteName, textLiteral } from '../../../sql/quote.ts'
import { strptimeFormat } from '../../../strptime.ts'
import { isNumeric } from '../../../types/logical-type.ts'
import { parseType } from '../../../types/parse-type.ts'
import { rowsOf } from '../sql.ts'
import { listed } from '../warnings.ts'

/** How the text of a column is converted to its type, if options state another format. */
export type TextForm = 'number' | 'date' | 'timestamp'
export type TextForms = Readonly<Record<string, TextForm>>

const grouped = String.raw`-?(?:\d+|\d{1,3}(?:\.\d{3})+)(?:,\d+)?`

/**
 * Rewrites a number with a decimal comma in the engine's notation. A number whose points do not separate thousands
 * stays text.
 */
function plainNumber(v: string): string {
  return `CASE WHEN NOT contains(${v}, ',') AND NOT contains(${v}, '.') THEN ${v}
    WHEN regexp_full_match(${v}, '${grouped}') THEN replace(replace(${v}, '.', ''), ',', '.')
    WHEN regexp_full_match(${v}, '[-+]?[\\d.]+') THEN ${v} || ' ' ELSE ${v} END`
}

/** The relation from which types are inferred: text, with numbers in the engine's notation. */
export function withPlainNumbers(relation: string, names: readonly string[], options: CsvOptions): string {
  if (options.decimalSeparator !== ',') return relation
  const selected = names.map((name) => `${plainNumber(quoteName(name))} AS ${quoteName(name)}`)
  return `(SELECT ${selected.join(', ')} FROM ${relation})`
}

/**
 * The types of columns whose values all have the format that the options state. `types`: the types inferred from
 * `withPlainNumbers`. Returns both combined.
 */
export async function statedForms(
  connection: DuckDBConnection,
  relation: string,
  types: ReadonlyMap<string, string>,
  options: CsvOptions,
): Promise<{ types: Map<string, string>; forms: TextForms }> {
  const found = new Map(types)
  const forms: Record<string, TextForm> = {}
  if (options.decimalSeparator === ',') {
    for (const [name, dataType] of types) if (isNumeric(parseType(dataType))) forms[name] = 'number'
  }
  const formats = [
    ['date', strptimeFormat(options.dateFormat ?? '')],
    ['timestamp', strptimeFormat(options.timestampFormat ?? '')],
  ] as const
  const names = [...types].flatMap(([name, type]) =>
    ['VARCHAR', 'BIGINT', 'DATE', 'TIMESTAMP'].includes(type) ? [name] : [],
  )
  for (const [form, format] of formats) {
    const open = names.filter((name) => forms[name] !== 'date')
    if (format === undefined || open.length === 0) continue
    const literal = textLiteral(format)
    const counts = open.flatMap((name, index) => {
      const v = quoteName(name)
      const parsed = `try_strptime(${v}, ${literal})`
      // Digits alone are dates only if they have exactly this format.
      const fits = types.get(name) === 'BIGINT' ? `strftime(${parsed}, ${literal}) = ${v}` : `${parsed} IS NOT NULL`
      return [`count(${v}) AS p${index}`, `count_if(${fits}) AS f${index}`]
    })
    const [row] = await rowsOf(connection, `SELECT ${counts.join(', ')} FROM ${relation}`)
    open.forEach((name, index) => {
      const present = Number(row?.[`p${index}`] ?? 0)
      if (present === 0 || Number(row?.[`f${index}`]) !== present) return
      forms[name] = form
      found.set(name, form === 'date' ? 'DATE' : /%z|%Z/.test(format) ? 'TIMESTAMP WITH TIME ZONE' : 'TIMESTAMP')
    })
  }
  return { types: found, forms }
}

/**
 * Formats that are not inferred, because text of such a form may mean something else. `mark`: what at least one value has,
 * because whole numbers that stay text, such as postal codes, have no decimal comma.
 */
const unstated = [
  {
    option: 'decimalSeparator',
    pattern: grouped,
    mark: '[.,]',
    says: (columns: string) =>
      `Text that looks like numbers with a decimal comma, in ${columns}: set decimalSeparator to "," to read numbers.`,
  },
  {
    option: 'dateFormat',
    pattern: String.raw`\d{1,2}[./-]\d{1,2}[./-]\d{4}`,
    mark: '[./-]',
    says: (columns: string) =>
      `Text that looks like dates, in ${columns}: set dateFormat, such as dd.MM.yyyy, to read dates.`,
  },
] as const
const sampledRows = 1_000
const maxSampledColumns = 400

/**
 * Notes about columns that stay text because an option is missing: all values in their first rows have one of these
 * formats.
 */
export async function formsToState(
  connection: DuckDBConnection,
  relation: string,
  types: ReadonlyMap<string, string>,
  options: CsvOptions,
): Promise<string[]> {
  const open = [...types].flatMap(([name, type]) => (type === 'VARCHAR' ? [name] : [])).slice(0, maxSampledColumns)
  const forms = unstated.filter(({ option }) => options[option] === undefined)
  if (open.length === 0 || forms.length === 0) return []
  const counts = open.flatMap((name, column) => {
    const v = quoteName(name)
    const fits = forms.map(
      ({ pattern, mark }, form) =>
        `CASE WHEN bool_or(regexp_matches(${v}, '${mark}'))
          THEN count_if(regexp_full_match(${v}, '${pattern}')) END AS f${form}_${column}`,
    )
    return [`count(${v}) AS p${column}`, ...fits]
  })
  const [row] = await rowsOf(
    connection,
    `SELECT ${counts.join(', ')} FROM (SELECT * FROM ${relation} LIMIT ${sampledRows})`,
  )
  return forms.flatMap(({ says }, form) => {
    const names = open.filter((_, column) => {
      const present = Number(row?.[`p${column}`] ?? 0)
      return present > 0 && Number(row?.[`f${form}_${column}`]) === present
    })
    return names.length === 0 ? [] : [says(listed(names))]
  })
}

/** A relation in which text columns with a stated format have their types. */
export function withForms(
  relation: string,
  types: ReadonlyMap<string, string>,
  forms: TextForms,
  options: CsvOptions,
): string {
  const replaced = Object.entries(forms).map(([name, form]) => {
    const v = quoteName(name)
    const format = textLiteral(
      strptimeFormat((form === 'date' ? options.dateFormat : options.timestampFormat) ?? '') ?? '',
    )
    const value = form === 'number' ? plainNumber(v) : `strptime(${v}, ${format})`
    return `CAST(${value} AS ${types.get(name) ?? 'VARCHAR'}) AS ${v}`
  })
  return replaced.length === 0 ? relation : `(SELECT * REPLACE (${replaced.join(', ')}) FROM ${relation})`
}
