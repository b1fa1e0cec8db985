import type { DatasetLocator, Metric, SqlText, Variable } from '@assay/data-engine'
import type { PlannedColumn } from './definition.ts'

/** A template of people's expressions. In `code`, `${key}` is a parameter. */
export interface UdfTemplate {
  name: string
  language: string
  code: string
  /** `value`: what the parameter is where an item gives none; null: it has to be given. */
  variables: readonly { key: string; value: string | null; isColumnVariable: boolean }[]
}

/** What items may name beside the columns of their own asset, as far as it is known. */
export interface References {
  /** Of the asset and what it lies in, as text: `${key}` in expressions. */
  variables: Readonly<Record<string, string>>
  udf(id: number): UdfTemplate | undefined
  lookup(assetId: number): { dataset: DatasetLocator; columns: readonly PlannedColumn[] } | undefined
  /** Other assets of the same assembly that a SELECT names. */
  tables(sql: string): { name: string; dataset: DatasetLocator }[]
  /** Whether the column (null: the table) carries the tag; undefined: there is no such tag. */
  carriesTag(tag: string, columnName: string | null): boolean | undefined
}

/** The variables as the data engine binds them. */
export function boundVariables(variables: References['variables']): Record<string, Variable> {
  return Object.fromEntries(Object.entries(variables).map(([key, text]) => [key, { text }]))
}

function bind(given: SqlText, variables: Record<string, Variable>): SqlText {
  return { sql: given.sql, variables: { ...variables, ...given.variables } }
}

/** The metric with the variables in all of its SQL. What it has of its own (parameters of a template) stays. */
export function withVariables(metric: Metric, variables: Record<string, Variable>): Metric {
  if (metric.kind === 'select') return { ...metric, select: bind(metric.select, variables) }
  const filtered = metric.filter === undefined ? metric : { ...metric, filter: bind(metric.filter, variables) }
  if (filtered.kind === 'aggregate-expression') {
    return { ...filtered, expression: bind(filtered.expression, variables) }
  }
  if (filtered.kind === 'rows' && filtered.predicate.kind === 'expression') {
    return {
      ...filtered,
      predicate: { kind: 'expression', expression: bind(filtered.predicate.expression, variables) },
    }
  }
  return filtered
}
