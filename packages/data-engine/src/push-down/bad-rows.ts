import { idsColumn } from '../kept-rows/format.ts'
import type { MetricResult } from '../plan.ts'
import type { Measurement, Rows } from '../sql/compile.ts'
import { type Fragment, join, raw, sql } from '../sql/fragment.ts'
import { quoteName } from '../sql/quote.ts'

/** A condition whose failing rows are stored. */
interface Keeper {
  id: number
  fails: Fragment
}

const repeatedName = (id: number) => quoteName(`__assay_repeated_${id}`)

/**
 * The metrics whose failed rows are bad. A row is not bad because of an item that could not be evaluated, or that
 * `ignored` lists.
 */
function failing(
  measurements: readonly Measurement[],
  results: readonly MetricResult[],
  ignored: readonly number[],
): Exclude<Measurement, { kind: 'refused' | 'select' }>[] {
  const failed = new Set(results.flatMap((one) => (one.kind === 'rows' && one.failed > 0 ? [one.id] : [])))
  return measurements.flatMap((one) =>
    (one.kind === 'condition' || one.kind === 'duplicate') && failed.has(one.id) && !ignored.includes(one.id)
      ? [one]
      : [],
  )
}

/** For each row, counts the rows that are equal to it, before rows are selected. */
function counted(rows: Rows, repeated: readonly Extract<Measurement, { kind: 'duplicate' }>[]): Fragment {
  if (repeated.length === 0 && rows.filter === null) return raw(`${rows.relation} AS asset`)
  const counts = repeated.map(({ id, columns, filter }) => {
    const group = [
      ...(filter === null ? [] : [sql`CASE WHEN ${filter} THEN 1 ELSE 0 END`]),
      ...columns.map((one) => raw(one.sql)),
    ]
    return sql`count(*) OVER (PARTITION BY ${join(group, ', ')}) AS ${repeatedName(id)}`
  })
  return sql`(SELECT ${join([raw('asset.*'), ...counts], ', ')} FROM ${rows.relation} AS asset${where(rows.filter)}) AS asset`
}

const where = (condition: Fragment | null) => (condition === null ? raw('') : sql` WHERE ${condition}`)

export interface KeptStatements {
  /** All columns, then the ids of the failed items, comma-separated. */
  rows(side: 'bad' | 'good', limit: number | null): Fragment
  count(side: 'bad' | 'good'): Fragment
}

/** The statements that read the bad rows, which fail at least one metric, or the good ones. */
export function keptStatements(
  /** SQL for the select list: all columns, in their order. */
  columns: string,
  rows: Rows,
  metrics: { measurements: readonly Measurement[]; results: readonly MetricResult[]; ignored: readonly number[] },
): KeptStatements {
  const chosen = failing(metrics.measurements, metrics.results, metrics.ignored)
  const keepers: Keeper[] = chosen.flatMap((one) => {
    if (one.kind !== 'condition' && one.kind !== 'duplicate') return []
    const fails = one.kind === 'condition' ? one.fails : raw(`asset.${repeatedName(one.id)} > 1`)
    return [{ id: one.id, fails: one.filter ? sql`(${one.filter} AND ${fails})` : sql`(${fails})` }]
  })
  const from = counted(
    rows,
    chosen.flatMap((one) => (one.kind === 'duplicate' ? [one] : [])),
  )
  const any =
    keepers.length === 0
      ? raw('1 = 0')
      : join(
          keepers.map(({ fails }) => fails),
          ' OR ',
        )
  const isOf = (side: 'bad' | 'good') => (side === 'bad' ? sql`(${any})` : sql`NOT coalesce((${any}), 1 = 0)`)
  const ids = join(
    // Some databases concatenate only two or more texts.
    [raw("''"), raw("''"), ...keepers.map(({ id, fails }) => sql`CASE WHEN ${fails} THEN '${id},' ELSE '' END`)],
    ', ',
  )
  return {
    rows: (side, limit) =>
      sql`SELECT ${columns}, concat(${ids}) AS ${quoteName(idsColumn)} FROM ${from} WHERE ${isOf(side)}${limit === null ? '' : ` LIMIT ${limit}`}`,
    count: (side) => sql`SELECT count(*) FROM ${from} WHERE ${isOf(side)}`,
  }
}
