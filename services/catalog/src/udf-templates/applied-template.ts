import {
  type DatasetLocator,
  isMoment,
  isNumeric,
  type LogicalType,
  parseType,
  type QueryLocator,
  type SqlText,
} from '@assay/data-engine'
import { AssayError } from '@assay/service-kit/errors'
import type { TemplateVariable } from '../udf-template/udf-template.ts'
import type { ValidationTask } from '../udf-validation/udf-validation.ts'

const mostTestRows = 1_000
const mostTestColumns = 200

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

function testRows(text: string): { [column: string]: unknown }[] {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch (cause) {
    throw new AssayError('unprocessable', 'testData: must be JSON, a list of rows such as [{"a": 1}].', { cause })
  }
  const rows: unknown[] = Array.isArray(parsed) ? parsed : [parsed]
  if (rows.length === 0 || rows.length > mostTestRows)
    throw new AssayError('unprocessable', `testData: must have 1 to ${mostTestRows} rows.`)
  return rows.map((row) => {
    if (row === null || typeof row !== 'object' || Array.isArray(row))
      throw new AssayError('unprocessable', 'testData: each row must be an object of columns.')
    return { ...row }
  })
}

/** Values of one kind stay; mixed ones become text. */
function literals(values: readonly unknown[]): string[] {
  const kinds = new Set(values.flatMap((value) => (value === null || value === undefined ? [] : [typeof value])))
  const [kind] = kinds
  const isPlain = kinds.size === 1 && (kind === 'number' || kind === 'boolean')
  return values.map((value) => {
    if (value === null || value === undefined) return 'NULL'
    if (isPlain) return String(value)
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    return `'${text.replaceAll('\0', '').replaceAll("'", "''")}'`
  })
}

/** Test data as a dataset. Throws `unprocessable` if it is not a list of rows. Pure. */
export function testDataset(text: string): QueryLocator {
  const rows = testRows(text)
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  if (columns.length === 0 || columns.length > mostTestColumns)
    throw new AssayError('unprocessable', `testData: must have 1 to ${mostTestColumns} columns.`)
  const byColumn = columns.map((column) => literals(rows.map((row) => row[column])))
  const tuples = rows.map((_, index) => `(${byColumn.map((values) => values[index] ?? 'NULL').join(', ')})`)
  const sql = `SELECT * FROM (VALUES ${tuples.join(', ')}) AS t(${columns.map(quoted).join(', ')})`
  return { kind: 'query', sql, tables: [], columns: [], fingerprint: '' }
}

function variablesOf(given: readonly TemplateVariable[]): SqlText['variables'] {
  return Object.fromEntries(
    given.flatMap(({ key, value, isColumnVariable }) =>
      value === null ? [] : [[key, isColumnVariable ? { column: value } : { text: value }]],
    ),
  )
}

function over(dataset: DatasetLocator): { from: string; tables: QueryLocator['tables'] } {
  return dataset.kind === 'query'
    ? { from: `(\n${dataset.sql}\n)`, tables: dataset.tables }
    : { from: '"assay_rows"', tables: [{ name: 'assay_rows', dataset }] }
}

/** The rows that a template is tried on, without hidden columns. Pure. */
export function rowsToTry(dataset: DatasetLocator, hiddenColumns: readonly string[]): QueryLocator {
  const { from, tables } = over(dataset)
  const left = hiddenColumns.length === 0 ? '*' : `* EXCLUDE (${hiddenColumns.map(quoted).join(', ')})`
  return { kind: 'query', sql: `SELECT ${left} FROM ${from} AS asset`, tables, columns: [], fingerprint: '' }
}

/** The expression of a template with its parameters. */
export function expressionOf({ definition, variables }: Pick<ValidationTask, 'definition' | 'variables'>): SqlText {
  return { sql: definition.code, variables: variablesOf(variables) }
}

/** The first rows, each with the expression's value as `result`. The expression has been checked. Pure. */
export function appliedTo(rows: QueryLocator, expression: SqlText, selected: readonly string[], limit: number) {
  const shown = selected.length === 0 ? '*' : selected.map(quoted).join(', ')
  const sql = `SELECT ${shown}, (\n${expression.sql}\n) AS result FROM (\n${rows.sql}\n) AS asset LIMIT ${limit}`
  return { ...rows, sql, variables: expression.variables }
}

/** Whether the type matches the declaration of a template. */
function fits(declared: string, type: LogicalType): boolean {
  switch (declared) {
    case 'STRING':
      return ['text', 'uuid', 'json'].includes(type.kind)
    case 'SHORT':
      return type.kind === 'integer' && type.bits <= 64
    case 'INTEGER':
    case 'LONG':
      return type.kind === 'integer'
    case 'FLOAT':
    case 'DOUBLE':
    case 'BIGDECIMAL':
      return isNumeric(type)
    case 'TIMESTAMP':
      return isMoment(type)
    default:
      // BOOLEAN and DATE.
      return type.kind === declared.toLowerCase()
  }
}

/** A sentence if the type of the expression differs from the declared one. Pure. */
export function typeProblem(declared: string, found: string): string | undefined {
  return fits(declared, parseType(found))
    ? undefined
    : `The template is declared ${declared}, and its expression gives ${found}.`
}
