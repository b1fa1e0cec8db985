import type { DatasetLocator } from '../../dataset.ts'
import type { ColumnDistribution, DistributionRequest, Distributions } from '../../distribution.ts'
import type { ColumnInfo } from '../../port.ts'
import { raw } from '../../sql/fragment.ts'
import { quoteName, textLiteral } from '../../sql/quote.ts'
import { isMoment, isNumeric } from '../../types/logical-type.ts'
import { parseType } from '../../types/parse-type.ts'
import { readRow } from './database.ts'
import { openSession, orChanged, type RunContext, type Session } from './session.ts'

/** Columns that are looked at; those behind them are left out. */
const mostColumns = 300
/** Every twentieth part of the values gets a bin. */
const parts = 20
const mostValues = 30
const mostCharacters = 60
const table = 'assay_sampled'

/** The column as a number: for numbers themselves, for dates and times the seconds since 1970; null for all else. */
function asNumber({ name, dataType }: ColumnInfo): string | null {
  const column = quoteName(name)
  const type = parseType(dataType)
  if (isMoment(type)) return `CASE WHEN isfinite(${column}) THEN CAST(epoch(${column}) AS DOUBLE) END`
  if (!isNumeric(type)) return null
  const number = `CAST(${column} AS DOUBLE)`
  return `CASE WHEN isfinite(${number}) THEN ${number} END`
}

function numberOf(value: unknown): number {
  return Number(value ?? 0)
}

function numberLiteral(value: number): string {
  return `CAST('${value}' AS DOUBLE)`
}

async function edgesOf({ connection }: Session, number: string): Promise<number[]> {
  const quantiles = Array.from({ length: parts + 1 }, (_, index) => index / parts)
  const [found] = await readRow(
    connection,
    raw(
      `SELECT CAST(quantile_disc(v, [${quantiles.join(', ')}]) AS VARCHAR) FROM (SELECT ${number} AS v FROM ${table})`,
    ),
  )
  const text = typeof found === 'string' ? found : '[]'
  const all = text
    .slice(1, -1)
    .split(',')
    .map((part) => Number(part.trim()))
    .filter((edge) => Number.isFinite(edge))
  return text === '[]' ? [] : [...new Set(all)].sort((a, b) => a - b)
}

async function ofNumbers(session: Session, column: ColumnInfo, number: string, given?: readonly number[]) {
  const edges = given === undefined ? await edgesOf(session, number) : [...given]
  const bounds = edges.map((edge) => `count(*) FILTER (WHERE v <= ${numberLiteral(edge)})`)
  const [first] = edges
  const below = first === undefined ? '0' : `count(*) FILTER (WHERE v < ${numberLiteral(first)})`
  const row = await readRow(
    session.connection,
    raw(`SELECT count(*), count(v), ${[below, ...bounds].join(', ')} FROM (SELECT ${number} AS v FROM ${table})`),
  )
  const [rows = 0, known = 0, ...upTo] = row.map(numberOf)
  // e0 alone has no bin: it counts in that up to e1, or, where it is the only edge, in its own.
  const steps = edges.length > 1 ? [upTo[0] ?? 0, ...upTo.slice(2)] : upTo
  const counts = [...steps, known].map((count, index) => count - (index === 0 ? 0 : (steps[index - 1] ?? 0)))
  const found: ColumnDistribution = { ...column, nulls: rows - known, kind: 'numbers', edges, values: [], counts }
  return found
}

async function ofValues({ connection }: Session, column: ColumnInfo, given?: readonly string[]) {
  const text = `left(CAST(${quoteName(column.name)} AS VARCHAR), ${mostCharacters})`
  const read = async (rest: string) =>
    connection.runAndReadAll(`SELECT v, count(*) FROM (SELECT ${text} AS v FROM ${table}) ${rest}`)
  const [rows = 0, known = 0] = (
    await readRow(connection, raw(`SELECT count(*), count(v) FROM (SELECT ${text} AS v FROM ${table})`))
  ).map(numberOf)
  const listed = given?.map(textLiteral).join(', ')
  const among =
    given === undefined ? 'v IS NOT NULL' : listed === '' || listed === undefined ? 'false' : `v IN (${listed})`
  const reader = await read(`WHERE ${among} GROUP BY v ORDER BY count(*) DESC, v LIMIT ${mostValues}`)
  const counted = new Map(reader.getRows().map(([value, count]) => [String(value), numberOf(count)]))
  const values = given === undefined ? [...counted.keys()] : [...given]
  const counts = values.map((value) => counted.get(value) ?? 0)
  const others = known - counts.reduce((sum, count) => sum + count, 0)
  const found: ColumnDistribution = {
    ...column,
    nulls: rows - known,
    kind: 'values',
    edges: [],
    values,
    counts: [...counts, others],
  }
  return found
}

/**
 * How the values of the columns are spread, of at most `maxRows` rows: the same ones each time while the data is the
 * same.
 */
export async function distributions(
  context: RunContext,
  request: DistributionRequest & { dataset: DatasetLocator },
): Promise<Distributions> {
  const session = await openSession(context, request.dataset, null)
  const answer = await orChanged(context, session, () => distributionsIn(context, request, session))
  await session.assertUnchanged()
  return answer
}

async function distributionsIn(
  context: RunContext,
  request: DistributionRequest,
  session: Session,
): Promise<Distributions> {
  const { connection, mounted } = session
  const columns = mounted.columns.slice(0, mostColumns)
  const maxRows = Math.max(1, Math.floor(request.maxRows))
  await connection.run(
    `CREATE TEMP TABLE ${table} AS SELECT ${columns.map(({ name }) => quoteName(name)).join(', ')} FROM ${mounted.relation} USING SAMPLE reservoir(${maxRows} ROWS) REPEATABLE (20)`,
  )
  const like = new Map(request.like?.map((known) => [known.name, known]))
  const found: ColumnDistribution[] = []
  for (const column of columns) {
    context.signal.throwIfAborted()
    const number = asNumber(column)
    const known = like.get(column.name)
    found.push(
      number === null || known?.kind === 'values'
        ? await ofValues(session, column, known?.kind === 'values' ? known.values : undefined)
        : await ofNumbers(session, column, number, known?.edges),
    )
  }
  const [rows] = await readRow(connection, raw(`SELECT count(*) FROM ${table}`))
  return { rows: numberOf(rows), columns: found }
}
