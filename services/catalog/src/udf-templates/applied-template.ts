import {
  isNumeric,
  isTemporal,
  type LogicalType,
  parseType,
  type QueryLocator,
  queryOfRows,
  type SqlText,
} from '@assay/data-engine'
import { AssayError } from '@assay/service-kit/errors'
import type { TemplateVariable } from '../udf-template/udf-template.ts'
import type { ValidationTask } from '../udf-validation/udf-validation.ts'

const maxTestRows = 1_000
const maxTestColumns = 200

function testRows(text: string): { [column: string]: unknown }[] {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch (cause) {
    throw new AssayError('unprocessable', 'testData: must be JSON, a list of rows such as [{"a": 1}].', { cause })
  }
  const rows: unknown[] = Array.isArray(parsed) ? parsed : [parsed]
  if (rows.length === 0 || rows.length > maxTestRows)
    throw new AssayError('unprocessable', `testData: must have 1 to ${maxTestRows} rows.`)
  return rows.map((row) => {
    if (row === null || typeof row !== 'object' || Array.isArray(row))
      throw new AssayError('unprocessable', 'testData: each row must be an object of columns.')
    return { ...row }
  })
}

/** Test data as a dataset. Throws `unprocessable` if it is not a list of rows. Pure. */
export function testDataset(text: string): QueryLocator {
  const rows = testRows(text)
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  if (columns.length === 0 || columns.length > maxTestColumns)
    throw new AssayError('unprocessable', `testData: must have 1 to ${maxTestColumns} columns.`)
  return queryOfRows(columns, rows)
}

function variablesOf(given: readonly TemplateVariable[]): SqlText['variables'] {
  return Object.fromEntries(
    given.flatMap(({ key, value, isColumnVariable }) =>
      value === null ? [] : [[key, isColumnVariable ? { column: value } : { text: value }]],
    ),
  )
}

/** The expression of a template with its parameters. */
export function expressionOf({ definition, variables }: Pick<ValidationTask, 'definition' | 'variables'>): SqlText {
  return { sql: definition.code, variables: variablesOf(variables) }
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
      return isTemporal(type)
    default:
      // BOOLEAN and DATE.
      return type.kind === declared.toLowerCase()
  }
}

/** A sentence if the type of the expression differs from the declared one. Pure. */
export function typeProblem(declared: string, found: string): string | undefined {
  return fits(declared, parseType(found))
    ? undefined
    : `The template is declared as ${declared}, but its expression returns ${found}.`
}
