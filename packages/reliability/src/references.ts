import type { DatasetLocator, Metric, SqlText, Variable } from '@assay/data-engine'
import type { PlannedColumn } from './definition.ts'
import type { Needs } from './measurements/reads.ts'

/** A user-defined SQL template. In `code`, `${key}` is a parameter. */
export interface UdfTemplate {
  name: string
  language: string
  code: string
  /** `value`: default value; `null` means required. */
  variables: readonly { key: string; value: string | null; isColumnVariable: boolean }[]
}

/** References of items, except for columns of their own asset. */
export interface References {
  /** Variables of the asset and its ancestors, as text: `${key}` in expressions. */
  variables: Readonly<Record<string, string>>
  udf(id: number): UdfTemplate | undefined
  lookup(assetId: number): { dataset: DatasetLocator; columns: readonly PlannedColumn[] } | undefined
  /** Other assets of the same assembly that a SELECT names. */
  tables(sql: string): { name: string; dataset: DatasetLocator }[]
  /** One key per referenced view. It changes when the view, or a view that it reads, is redefined. */
  views(needs: Pick<Needs, 'lookupAssetIds' | 'selects'>): readonly string[]
  /** Whether the column (`null` means the table) has the tag; `undefined` if there is no such tag. */
  carriesTag(tag: string, columnName: string | null): boolean | undefined
}

/** The variables in the form that the data engine binds. */
export function boundVariables(variables: References['variables']): Record<string, Variable> {
  return Object.fromEntries(Object.entries(variables).map(([key, text]) => [key, { text }]))
}

function bind(given: SqlText, variables: Record<string, Variable>): SqlText {
  return { sql: given.sql, variables: { ...variables, ...given.variables } }
}

/** Adds the variables to all SQL of the metric. Parameters of a template take precedence. */
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
