import { AssayError } from '@assay/service-kit/errors'
import { type DuckDBConnection, DuckDBTypeId, StatementType } from '@duckdb/node-api'
import { aggregateCall, type Measurement, type Rows } from '../../sql/compile.ts'
import { type Fragment, join, raw, sql } from '../../sql/fragment.ts'
import { duckdbDialect } from '../dialect.ts'
import { bound, read } from './database.ts'

/** An empty table with the dataset's columns, on which users' SQL is checked without reading data. */
interface Checking {
  connection: DuckDBConnection
  shape: string
}

/** Creates an empty table with the columns of `relation`, and returns its name, which contains `index`. */
export async function makeShape(connection: DuckDBConnection, relation: string, index: number): Promise<string> {
  const shape = `assay_shape_${index}`
  await connection.run(`CREATE TEMP TABLE ${shape} AS SELECT * FROM ${relation} LIMIT 0`)
  return shape
}

/**
 * Prepares one statement, which must be a query, and returns the type of its first column. The type is INVALID if it
 * depends on the values.
 */
async function prepareQuery(connection: DuckDBConnection, statement: Fragment): Promise<DuckDBTypeId> {
  const prepared = await connection.prepare(statement.text)
  try {
    if (prepared.statementType !== StatementType.SELECT)
      throw new AssayError('invalid', 'Only a SELECT is allowed here.')
    prepared.bind(bound(statement.bindings))
    return prepared.columnTypeId(0)
  } finally {
    prepared.destroySync()
  }
}

/** Rejects if `condition` is not a boolean expression over one row. */
export async function checkCondition({ connection, shape }: Checking, condition: Fragment): Promise<void> {
  await prepareQuery(connection, sql`SELECT 1 FROM ${shape} AS asset WHERE ${condition}`)
  const statement = sql`SELECT ${condition} FROM ${shape} AS asset`
  const type = await prepareQuery(connection, statement)
  const found = type === DuckDBTypeId.INVALID ? (await read(connection, statement)).columnTypeId(0) : type
  if (found === DuckDBTypeId.BOOLEAN) return
  throw new AssayError(
    'invalid',
    `The expression must be true or false, but is ${DuckDBTypeId[found] ?? 'something else'}.`,
  )
}

/** In the SELECT, `asset` stands for the plan's rows. */
export function selectOver(rows: Rows, select: Fragment): Fragment {
  const condition = rows.filter ? sql` WHERE ${rows.filter}` : raw('')
  return sql`WITH asset AS NOT MATERIALIZED (SELECT * FROM ${rows.relation} AS asset${condition}) SELECT * FROM (\n${select}\n) LIMIT 2`
}

const numeric: ReadonlySet<DuckDBTypeId> = new Set([
  DuckDBTypeId.TINYINT,
  DuckDBTypeId.SMALLINT,
  DuckDBTypeId.INTEGER,
  DuckDBTypeId.BIGINT,
  DuckDBTypeId.HUGEINT,
  DuckDBTypeId.UTINYINT,
  DuckDBTypeId.USMALLINT,
  DuckDBTypeId.UINTEGER,
  DuckDBTypeId.UBIGINT,
  DuckDBTypeId.UHUGEINT,
  DuckDBTypeId.FLOAT,
  DuckDBTypeId.DOUBLE,
  DuckDBTypeId.DECIMAL,
  DuckDBTypeId.INVALID,
])

export function isNumeric(type: DuckDBTypeId): boolean {
  return numeric.has(type)
}

async function checkSelect({ connection, shape }: Checking, rows: Rows, select: Fragment): Promise<void> {
  const statement = selectOver({ relation: shape, filter: rows.filter }, select)
  const type = await prepareQuery(connection, statement)
  const prepared = await connection.prepare(statement.text)
  const columns = prepared.columnCount
  prepared.destroySync()
  if (columns !== 1)
    throw new AssayError('invalid', `The SELECT must return one number, but returns ${columns} columns.`)
  if (!isNumeric(type))
    throw new AssayError(
      'invalid',
      `The SELECT must return a number, but returns ${DuckDBTypeId[type] ?? 'something else'}.`,
    )
}

function isGenerated(measurement: Measurement): boolean {
  if (measurement.kind === 'condition') return !measurement.risky
  if (measurement.kind === 'aggregate') return measurement.conditions.length === 0 && !measurement.written
  return (measurement.kind === 'distinct' || measurement.kind === 'duplicate') && measurement.conditions.length === 0
}

/**
 * Checks measurements that contain no SQL of users, in one or two statements. Returns none of them if they cannot be
 * prepared together; then each one must be checked separately.
 */
export async function checkGenerated(
  { connection, shape }: Checking,
  measurements: readonly Measurement[],
): Promise<Set<Measurement>> {
  const generated = measurements.filter(isGenerated)
  const conditions = generated.flatMap((measurement) => (measurement.kind === 'condition' ? [measurement.fails] : []))
  const aggregates = generated.flatMap((measurement) =>
    measurement.kind === 'aggregate' ? [aggregateCall(measurement, duckdbDialect)] : [],
  )
  try {
    for (const columns of [conditions, aggregates]) {
      if (columns.length > 0) await prepareQuery(connection, sql`SELECT ${join(columns, ', ')} FROM ${shape} AS asset`)
    }
    return new Set(generated)
  } catch {
    return new Set()
  }
}

/** Rejects if the engine cannot prepare the measurement. Reads no data. */
export async function checkMeasurement(checking: Checking, rows: Rows, measurement: Measurement): Promise<void> {
  const { connection, shape } = checking
  switch (measurement.kind) {
    case 'refused':
      throw new AssayError('invalid', measurement.message)
    case 'select':
      return checkSelect(checking, rows, measurement.select)
    case 'aggregate':
      for (const condition of measurement.conditions) await checkCondition(checking, condition)
      if (measurement.argument)
        await prepareQuery(connection, sql`SELECT 1 FROM ${shape} AS asset WHERE ${measurement.argument} IS NULL`)
      await prepareQuery(connection, sql`SELECT ${aggregateCall(measurement, duckdbDialect)} FROM ${shape} AS asset`)
      return
    case 'condition':
    case 'duplicate':
    case 'distinct':
      for (const condition of measurement.conditions) await checkCondition(checking, condition)
      return
    default:
      return measurement satisfies never
  }
}
