import path from 'node:path'
import { AssayError, messageOf } from '@assay/service-kit/errors'
import type { DuckDBConnection, DuckDBValue } from '@duckdb/node-api'
import type { ColumnProfile, DatasetProfile, ProfilePlan, ProfileValue } from '../../profile.ts'
import { filterClause, fromRows } from '../../sql/compile.ts'
import { raw, sql } from '../../sql/fragment.ts'
import { type Column, columnFinder } from '../../sql/predicate/column.ts'
import { quoteName, textLiteral } from '../../sql/quote.ts'
import { isNumeric, type LogicalType } from '../../types/logical-type.ts'
import { duckdbDialect } from '../dialect.ts'
import { jsonValue } from '../values.ts'
import { read, readRow } from './database.ts'
import { engineFailure, engineMessage } from './failure.ts'
import { openSession, orChanged, type RunContext, type Session } from './session.ts'

const mostColumns = 1000
const mostFrequent = 10
const mostCharacters = 256
const fractions = [0.05, 0.25, 0.5, 0.75, 0.95]
const groups = 'assay_profile_groups'

/** What is not in a figure of another kind is text, cut where it is long. */
function profileValue(value: DuckDBValue | undefined): ProfileValue {
  const json = jsonValue(value)
  const plain = typeof json === 'object' && json !== null ? JSON.stringify(json) : json
  if (typeof plain !== 'string') return plain
  const characters = plain.length > mostCharacters ? [...plain] : []
  return characters.length > mostCharacters ? `${characters.slice(0, mostCharacters).join('')}…` : plain
}

function numberOf(value: DuckDBValue | undefined): number {
  return Number(value ?? 0)
}

function finiteOf(value: DuckDBValue | undefined): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}

/** Where the rows are. `source` can stand after FROM and holds the columns under their names. */
interface Look {
  connection: DuckDBConnection
  source: string
  rows: number
  memoryMb: number
  hidden: readonly string[]
}

/** Of one column: all its values are read once and counted by value. */
async function figuresOf(look: Look, column: Column, profile: ColumnProfile): Promise<void> {
  const { connection, source } = look
  const { type } = column
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE ${groups} AS SELECT ${column.sql} AS v, count(*) AS n FROM ${source} WHERE ${column.sql} IS NOT NULL GROUP BY ALL`,
  )
  const finite = type.kind === 'float' ? raw('isfinite(v)') : null
  const known = filterClause(finite)
  const [distinct, min, max, notFinite] = await readRow(
    connection,
    sql`SELECT count(*), min(v)${known}, max(v)${known}, ${finite ? sql`sum(n)${filterClause(raw('NOT isfinite(v)'))}` : raw('NULL')} FROM ${groups}`,
  )
  Object.assign(profile, { distinct: numberOf(distinct), min: profileValue(min), max: profileValue(max) })
  if (finite) profile.notFinite = numberOf(notFinite)
  const top = await read(connection, raw(`SELECT v, n FROM ${groups} ORDER BY n DESC, v LIMIT ${mostFrequent}`))
  profile.mostFrequent = top.getRows().map(([value, n]) => ({ value: profileValue(value), count: numberOf(n) }))
  if (type.kind === 'text') {
    const [shortest, longest] = await readRow(
      connection,
      raw(`SELECT min(length(CAST(v AS VARCHAR))), max(length(CAST(v AS VARCHAR))) FROM ${groups}`),
    )
    if (shortest !== null && shortest !== undefined)
      Object.assign(profile, { minLength: numberOf(shortest), maxLength: numberOf(longest) })
  }
  if (!isNumeric(type)) return
  await numberFigures(look, column, look.rows - profile.nulls - (profile.notFinite ?? 0), profile)
}

/** Bytes that one value takes while quantiles are sought in memory. */
const quantileBytes = 32

/** Quantiles of the values that `among` leaves, so many are they. */
async function quantilesOf(
  look: Look,
  column: Column,
  known: { values: number; among: string },
): Promise<DuckDBValue[]> {
  const { values, among } = known
  if (values * quantileBytes < (look.memoryMb * 1024 * 1024) / 4) {
    const picked = fractions.map((_, index) => `q[${index + 1}]`)
    const where = among === '' ? '' : ` WHERE ${among.replaceAll('$v', column.sql)}`
    const all = `SELECT quantile_disc(${column.sql}, [${fractions.join(', ')}]) AS q FROM ${look.source}${where}`
    return readRow(look.connection, raw(`SELECT ${picked.join(', ')} FROM (${all})`))
  }
  // A running sum over the counted values in order can leave memory, where all values side by side could not.
  const picked = fractions.map((fraction) => `min(v) FILTER (WHERE reached >= ${Math.ceil(fraction * values)})`)
  const where = among === '' ? '' : ` WHERE ${among.replaceAll('$v', 'v')}`
  const running = `SELECT v, sum(n) OVER (ORDER BY v) AS reached FROM ${groups}${where}`
  return readRow(look.connection, raw(`SELECT ${picked.join(', ')} FROM (${running})`))
}

async function numberFigures(look: Look, column: Column, values: number, profile: ColumnProfile): Promise<void> {
  const among = column.type.kind === 'float' ? 'isfinite($v)' : ''
  if (values > 0) {
    const quantiles = await quantilesOf(look, column, { values, among })
    profile.quantiles = fractions.map((fraction, index) => ({ fraction, value: profileValue(quantiles[index]) }))
  }
  const where = among === '' ? '' : ` WHERE ${among.replaceAll('$v', column.sql)}`
  const value = `CAST(${column.sql} AS DOUBLE)`
  // In two steps: squares can be too large where the mean is not.
  profile.mean = finiteOf((await readRow(look.connection, raw(`SELECT avg(${value}) FROM ${look.source}${where}`)))[0])
  const deviation = raw(`SELECT stddev_samp(${value}) FROM ${look.source}${where}`)
  profile.standardDeviation = finiteOf((await readRow(look.connection, deviation))[0])
}

/** Whether an error ends the run, and not only the figures of one column. */
function isFatal(error: unknown): boolean {
  return engineFailure(error).code === 'too-large' || messageOf(error).startsWith('INTERRUPT')
}

/** Parquet would round numbers wider than 64 bits. */
const isHuge = (type: LogicalType) => type.kind === 'integer' && type.bits === 128

function copied(file: string, columns: readonly Column[]): string {
  const relation = `read_parquet(${textLiteral(file)})`
  if (!columns.some(({ type }) => isHuge(type))) return relation
  const values = columns.map(({ name, dataType, type, sql }) =>
    isHuge(type) ? `CAST(${sql} AS ${dataType}) AS ${quoteName(name)}` : sql,
  )
  return `(SELECT ${values.join(', ')} FROM ${relation})`
}

/**
 * What the columns of a dataset hold. The source is read once: its rows are copied into a Parquet file beside, unless
 * they are Parquet already and all are asked for, and each column is then read alone. All figures are exact. Error
 * `unprocessable`, among others, where files changed meanwhile.
 */
export async function profile(context: RunContext, plan: ProfilePlan): Promise<DatasetProfile> {
  context.progress({ stage: 'READING', fraction: null })
  const session = await openSession(context, plan.dataset, context.tempFolder, { window: plan.window })
  const answer = await orChanged(context, session, () => profileIn(context, plan, session))
  await session.assertUnchanged()
  return answer
}

async function profileIn(context: RunContext, plan: ProfilePlan, session: Session): Promise<DatasetProfile> {
  const { connection, mounted, window, hidden } = session
  const finder = columnFinder(mounted.columns, duckdbDialect)
  const asked = plan.columns?.map(finder) ?? mounted.columns.map(({ name }) => finder(name))
  const columns = asked.slice(0, mostColumns)
  const rows = { relation: mounted.relation, filter: window.condition }
  let source = mounted.relation
  if (mounted.parquetFiles === undefined || window.condition !== null) {
    const file = path.join(context.tempFolder, 'profile.parquet')
    const values = columns.map(({ name, type, sql }) =>
      isHuge(type) ? `CAST(${sql} AS VARCHAR) AS ${quoteName(name)}` : sql,
    )
    const what = sql`COPY (SELECT ${values.join(', ')}${fromRows(rows)}) TO ${textLiteral(file)} (FORMAT PARQUET)`
    try {
      await readRow(connection, what)
    } catch (error) {
      if (isFatal(error)) throw error
      const reason = engineMessage(error, hidden)
      throw new AssayError('unprocessable', `The rows could not be read: ${reason}`, { cause: error })
    }
    source = copied(file, columns)
  }
  const [count] = await readRow(connection, raw(`SELECT count(*) FROM ${source}`))
  const look: Look = { connection, source, rows: numberOf(count), memoryMb: context.limits.memoryMb, hidden }
  const found: ColumnProfile[] = []
  for (const column of columns) {
    context.signal.throwIfAborted()
    context.progress({ stage: 'MEASURING', fraction: found.length / columns.length })
    found.push(await profileOf(look, column))
  }
  return {
    rows: look.rows,
    columns: found,
    columnsLeftOut: asked.length - columns.length,
    warnings: mounted.warnings,
    elapsedMs: Math.round(performance.now() - context.startedTick),
  }
}

async function profileOf(look: Look, column: Column): Promise<ColumnProfile> {
  const [values] = await readRow(look.connection, raw(`SELECT count(${column.sql}) FROM ${look.source}`))
  const profile: ColumnProfile = {
    name: column.name,
    dataType: column.dataType,
    nulls: look.rows - numberOf(values),
    distinct: null,
    min: null,
    max: null,
    mean: null,
    standardDeviation: null,
    minLength: null,
    maxLength: null,
    notFinite: null,
    quantiles: [],
    mostFrequent: [],
    error: null,
  }
  try {
    await figuresOf(look, column, profile)
  } catch (error) {
    if (isFatal(error)) throw error
    profile.error = engineMessage(error, look.hidden)
  }
  return profile
}
