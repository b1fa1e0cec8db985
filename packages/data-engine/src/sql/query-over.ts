import type { DatasetLocator, QueryLocator } from '../dataset.ts'
import type { SqlText } from '../plan.ts'
import { quoteName, textLiteral } from './quote.ts'

/** A column computed by an expression over the row. The caller must have checked the expression. */
export interface AddedColumn {
  name: string
  expression: SqlText
}

/** The name that a query uses for its dataset, if the dataset is not a query itself. */
const rowsName = 'assay_rows'

/** The expression of the column at `index`, with parameter names that earlier columns do not use. */
function withUniqueParameters({ sql, variables }: SqlText, index: number): SqlText {
  if (index === 0) return { sql, variables }
  const prefix = `t${index}_`
  const renamed = Object.entries(variables).map(([key, value]) => [`${prefix}${key}`, value])
  return { sql: sql.replaceAll('${', `\${${prefix}`), variables: Object.fromEntries(renamed) }
}

function columnsOf(only: readonly string[], without: readonly string[]): string {
  if (only.length > 0) return only.map(quoteName).join(', ')
  return without.length === 0 ? '*' : `* EXCLUDE (${without.map(quoteName).join(', ')})`
}

/**
 * The rows of a dataset with other columns: `only` these (empty: all), `without` these, followed by the `added` ones.
 * Pure.
 */
export function queryOver(
  dataset: DatasetLocator,
  columns: { only?: readonly string[]; without?: readonly string[]; added?: readonly AddedColumn[]; limit?: number },
): QueryLocator {
  const { only = [], without = [], added = [], limit } = columns
  const expressions = added.map(({ expression }, index) => withUniqueParameters(expression, index))
  const selected = [
    columnsOf(only, without),
    ...expressions.map(({ sql }, index) => `(\n${sql}\n) AS ${quoteName(added[index]?.name ?? '')}`),
  ]
  const from = dataset.kind === 'query' ? `(\n${dataset.sql}\n)` : quoteName(rowsName)
  const given = dataset.kind === 'query' ? (dataset.variables ?? {}) : {}
  return {
    kind: 'query',
    sql: `SELECT ${selected.join(', ')} FROM ${from} AS asset${limit === undefined ? '' : ` LIMIT ${limit}`}`,
    variables: Object.assign({}, given, ...expressions.map(({ variables }) => variables)),
    tables: dataset.kind === 'query' ? dataset.tables : [{ name: rowsName, dataset }],
    columns: [],
    fingerprint: '',
  }
}

/** The literals of a column. If all values are of one kind, they keep their type; otherwise they become text. */
function literalsOf(values: readonly unknown[]): string[] {
  const kinds = new Set(values.flatMap((value) => (value === null || value === undefined ? [] : [typeof value])))
  const [kind] = kinds
  const isPlain = kinds.size === 1 && (kind === 'number' || kind === 'boolean')
  return values.map((value) => {
    if (value === null || value === undefined) return 'NULL'
    if (isPlain) return String(value)
    return textLiteral((typeof value === 'string' ? value : JSON.stringify(value)).replaceAll('\0', ''))
  })
}

/** A dataset of literal values, with at least one row. Pure. */
export function queryOfRows(columns: readonly string[], rows: readonly { [column: string]: unknown }[]): QueryLocator {
  const byColumn = columns.map((column) => literalsOf(rows.map((row) => row[column])))
  const tuples = rows.map((_, index) => `(${byColumn.map((values) => values[index] ?? 'NULL').join(', ')})`)
  const sql = `SELECT * FROM (VALUES ${tuples.join(', ')}) AS t(${columns.map(quoteName).join(', ')})`
  return { kind: 'query', sql, tables: [], columns: [], fingerprint: '' }
}

/** The SELECT that returns the rows of a table that meet a condition. Pure. */
export function selectWhere(table: string, condition: string): string {
  return `SELECT * FROM ${quoteName(table)} WHERE (\n${condition}\n)`
}
