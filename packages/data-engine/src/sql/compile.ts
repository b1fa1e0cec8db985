import { AssayError, isAssayError, messageOf } from '@assay/service-kit/errors'
import type { AggregateFunction, Metric, SqlText } from '../plan.ts'
import type { ColumnInfo } from '../port.ts'
import type { Dialect } from './dialect.ts'
import { type Fragment, join, raw, sql } from './fragment.ts'
import { type Column, columnFinder } from './predicate/column.ts'
import { failsSql, notTrue } from './predicate/fails.ts'
import { type LookupTable, outsideLookup } from './predicate/in-lookup.ts'

interface Common {
  id: number
  /** The filter of the metric itself. */
  filter: Fragment | null
  /** Users' expressions. Each is checked on its own before it becomes part of a shared statement. */
  conditions: Fragment[]
  /** Whether it may fail at a row, because it contains users' SQL or a sum. */
  risky: boolean
}

/** A metric as SQL over one row (`asset`), not yet assigned to a statement. */
export type Measurement =
  | (Common & { kind: 'condition'; fails: Fragment; missing: Column | null })
  | (Common & { kind: 'duplicate'; columns: Column[] })
  | (Common & { kind: 'distinct'; column: Column })
  /** `argument` is null for COUNT of rows. `written`: whether the aggregate contains users' SQL. */
  | (Common & {
      kind: 'aggregate'
      fn: AggregateFunction
      argument: Fragment | null
      column: Column | null
      instant: boolean
      written: boolean
    })
  | { kind: 'select'; id: number; select: Fragment }
  | { kind: 'refused'; id: number; message: string }

/** Further datasets of the run that metrics reference. */
export interface RelatedTables {
  lookups: ReadonlyMap<number, LookupTable | { problem: string }>
  problems: ReadonlyMap<number, string>
}

const noRelated: RelatedTables = { lookups: new Map(), problems: new Map() }

function lookupOf(related: RelatedTables, id: number): LookupTable {
  const found = related.lookups.get(id)
  if (found !== undefined && !('problem' in found)) return found
  throw new AssayError('invalid', `The lookup cannot be used: ${found?.problem ?? 'it is not known.'}`)
}

/**
 * Converts users' SQL to a part of a statement, in brackets that it cannot close. Throws `invalid` if it may not run.
 */
export type CheckedSql = (given: SqlText) => Fragment

function condition(given: SqlText | undefined, checked: CheckedSql): Fragment | null {
  return given === undefined ? null : checked(given)
}

function compile(
  metric: Metric,
  column: (name: string) => Column,
  all: readonly ColumnInfo[],
  { checked, checkedSelect }: { checked: CheckedSql; checkedSelect: CheckedSql },
  related: RelatedTables,
): Measurement {
  const problem = related.problems.get(metric.id)
  if (problem !== undefined) throw new AssayError('invalid', problem)
  if (metric.kind === 'select') return { kind: 'select', id: metric.id, select: checkedSelect(metric.select) }
  const filter = condition(metric.filter, checked)
  const common = { id: metric.id, filter, conditions: filter ? [filter] : [], risky: filter !== null }
  switch (metric.kind) {
    case 'rows': {
      const { predicate } = metric
      if (predicate.kind === 'duplicate') {
        const names = predicate.columns ?? all.map((info) => info.name)
        return { ...common, kind: 'duplicate', columns: names.map(column) }
      }
      if (predicate.kind === 'expression') {
        const written = checked(predicate.expression)
        // Checked as the user wrote it, because the surrounding SQL would turn numbers and text into booleans.
        const conditions = [...common.conditions, written]
        return { ...common, kind: 'condition', fails: notTrue(written), missing: null, conditions, risky: true }
      }
      const fails =
        predicate.kind === 'in-lookup'
          ? raw(outsideLookup(column(predicate.column), lookupOf(related, metric.id)))
          : failsSql(predicate, column)
      const plainlyMissing = predicate.kind === 'missing' && !predicate.blankToo
      return {
        ...common,
        kind: 'condition',
        fails,
        missing: plainlyMissing ? column(predicate.column) : null,
        conditions: [...common.conditions, fails],
      }
    }
    case 'distinct':
      return { ...common, kind: 'distinct', column: column(metric.column) }
    case 'aggregate': {
      const counted = metric.column === null ? null : column(metric.column)
      const { ofLengths = false } = metric
      return {
        ...common,
        risky: true,
        kind: 'aggregate',
        fn: metric.fn,
        argument: counted && raw(ofLengths ? counted.dialect.characters(counted.text) : counted.sql),
        column: ofLengths ? null : counted,
        instant: false,
        written: false,
      }
    }
    case 'aggregate-expression': {
      const argument = checked(metric.expression)
      return {
        ...common,
        risky: true,
        kind: 'aggregate',
        fn: metric.fn,
        argument,
        column: null,
        instant: false,
        written: true,
      }
    }
    case 'newest': {
      const newest = column(metric.column)
      // Text that is not a time is ignored.
      const value = newest.type.kind === 'text' ? newest.dialect.timestamp(newest.text, metric.format) : newest.sql
      return {
        ...common,
        kind: 'aggregate',
        fn: 'MAX',
        argument: raw(value),
        column: newest.type.kind === 'text' ? null : newest,
        instant: true,
        written: false,
      }
    }
    default:
      return metric satisfies never
  }
}

/**
 * Compiles metrics to measurements, in order. An impossible metric becomes `refused`, without affecting other metrics.
 */
export function compileMetrics(
  metrics: readonly Metric[],
  columns: readonly ColumnInfo[],
  {
    checked,
    checkedSelect = checked,
    dialect,
    related = noRelated,
  }: { checked: CheckedSql; checkedSelect?: CheckedSql; dialect: Dialect; related?: RelatedTables },
): Measurement[] {
  const column = columnFinder(columns, dialect)
  return metrics.map((metric) => {
    try {
      return compile(metric, column, columns, { checked, checkedSelect }, related)
    } catch (error) {
      if (!isAssayError(error, 'invalid')) throw error
      return { kind: 'refused', id: metric.id, message: messageOf(error) }
    }
  })
}

/** The rows of a plan. */
export interface Rows {
  /** SQL for FROM. */
  relation: string
  filter: Fragment | null
}

/** ` FROM … AS asset WHERE …`; `extra` conditions are added to the plan's filter. */
export function fromRows(rows: Rows, extra: Fragment | null = null): Fragment {
  const from = raw(` FROM ${rows.relation} AS asset`)
  const conditions = [rows.filter, extra].filter((part) => part !== null)
  const [first, second] = conditions
  if (!first) return from
  return second ? sql`${from} WHERE ${first} AND ${second}` : sql`${from} WHERE ${first}`
}

/** The FILTER of an aggregate. */
export function filterClause(filter: Fragment | null, extra: Fragment | null = null): Fragment {
  if (filter && extra) return sql` FILTER (WHERE ${filter} AND ${extra})`
  const only = filter ?? extra
  return only ? sql` FILTER (WHERE ${only})` : raw('')
}

/**
 * An aggregate over the rows for which all conditions are true. `argument`: the aggregated value; null means rows, for
 * count.
 */
export function aggregateOf(
  dialect: Pick<Dialect, 'hasFilter'>,
  call: (argument: Fragment) => Fragment,
  argument: Fragment | null,
  ...conditions: (Fragment | null)[]
): Fragment {
  const given = conditions.filter((condition) => condition !== null)
  if (given.length === 0) return call(argument ?? raw('*'))
  const condition = join(given, ' AND ')
  if (dialect.hasFilter) return sql`${call(argument ?? raw('*'))} FILTER (WHERE ${condition})`
  return call(sql`CASE WHEN ${condition} THEN ${argument ?? 1} END`)
}

export function aggregateCall(measurement: Extract<Measurement, { kind: 'aggregate' }>, dialect: Dialect): Fragment {
  const { fn, argument, column, filter } = measurement
  const call = (given: Fragment) =>
    argument === null ? sql`count(${given})` : dialect.aggregate(fn, given, column?.type)
  return aggregateOf(dialect, call, argument, filter)
}

/** The number of rows that belong to groups of at least two equal rows. NULL equals NULL. */
export function duplicateCount(rows: Rows, measurement: Extract<Measurement, { kind: 'duplicate' }>): Fragment {
  const keys = measurement.columns.map((column) => column.sql).join(', ')
  return sql`SELECT coalesce(sum(CASE WHEN n > 1 THEN n END), 0) FROM (SELECT count(*) AS n${fromRows(rows, measurement.filter)} GROUP BY ${keys}) AS repeated`
}

/** The number of non-null values, and the number of distinct ones. */
export function distinctCount(rows: Rows, measurement: Extract<Measurement, { kind: 'distinct' }>): Fragment {
  const { sql: key } = measurement.column
  return sql`SELECT coalesce(sum(n), 0), count(*) FROM (SELECT count(${key}) AS n${fromRows(rows, measurement.filter)} GROUP BY ${key}) AS counted WHERE n > 0`
}
