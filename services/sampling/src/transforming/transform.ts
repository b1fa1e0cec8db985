import { type DatasetLocator, type QueryLocator, type SqlText, touched } from '@assay/data-engine'
import { z } from 'zod'

/** An additional column of a sample: an expression over the row, with the values of its `${parameters}`. */
export const transform = z.object({
  name: z.string(),
  sql: z.string(),
  variables: z.record(z.string(), z.union([z.object({ text: z.string() }), z.object({ column: z.string() })])),
  /** Absent: unknown. */
  touched: touched.optional(),
})
export type Transform = z.infer<typeof transform>

export function expressionOf({ sql, variables }: Transform): SqlText {
  return { sql, variables }
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** The same expression with unique parameter names. */
function apart({ name, sql, variables }: Transform, index: number): Transform {
  if (index === 0) return { name, sql, variables }
  const prefix = `t${index}_`
  const renamed = Object.entries(variables).map(([key, value]) => [`${prefix}${key}`, value])
  return { name, sql: sql.replaceAll('${', `\${${prefix}`), variables: Object.fromEntries(renamed) }
}

/** The rows with one more column per transform. The expressions have been checked. Pure. */
export function transformed(dataset: DatasetLocator, transforms: readonly Transform[]): QueryLocator {
  const own = transforms.map(apart)
  const added = own.map(({ name, sql }) => `(\n${sql}\n) AS ${quoted(name)}`)
  const from = dataset.kind === 'query' ? `(\n${dataset.sql}\n)` : '"assay_rows"'
  const given = dataset.kind === 'query' ? (dataset.variables ?? {}) : {}
  return {
    kind: 'query',
    sql: `SELECT *, ${added.join(', ')} FROM ${from} AS asset`,
    variables: Object.assign({}, given, ...own.map(({ variables }) => variables)),
    tables: dataset.kind === 'query' ? dataset.tables : [{ name: 'assay_rows', dataset }],
    columns: [],
    fingerprint: '',
  }
}
