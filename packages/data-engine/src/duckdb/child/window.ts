import { AssayError } from '@assay/service-kit/errors'
import type { DuckDBConnection } from '@duckdb/node-api'
import type { Bound, Window } from '../../plan.ts'
import { type Fragment, raw, sql } from '../../sql/fragment.ts'
import { type Column, columnFinder } from '../../sql/predicate/column.ts'
import { outsideRange } from '../../sql/predicate/range.ts'
import { textLiteral } from '../../sql/quote.ts'
import { isNumeric, isTemporal } from '../../types/logical-type.ts'
import { duckdbDialect } from '../dialect.ts'
import type { Mounted } from '../mount.ts'
import { exactText, instantText } from '../values.ts'
import { read, readRow } from './database.ts'
import { isPartition } from './partition-name.ts'

/** The rows of a window as a condition (`null` means all rows), and the highest value in an INCREMENTAL window. */
export interface WindowRows {
  condition: Fragment | null
  reached: string | null
}

/** Resolves a window once, before the scan, so that all statements read the same rows even if rows are added meanwhile. */
export async function openWindow(
  connection: DuckDBConnection,
  mounted: Mounted,
  window: Window | undefined,
): Promise<WindowRows> {
  if (window === undefined) return { condition: null, reached: null }
  if (window.kind === 'files') {
    const { files } = mounted
    if (files === undefined) throw new AssayError('unprocessable', 'A marker on files needs an asset of files.')
    return { condition: files.none ? raw('false') : null, reached: window.follow ? files.newest : null }
  }
  if (window.kind === 'offsets') {
    const { reached } = mounted
    if (reached === undefined) throw new AssayError('unprocessable', 'A marker on message times needs a topic.')
    return { condition: null, reached: window.follow ? reached : null }
  }
  if (window.kind === 'partition') return { condition: await onePartition(connection, mounted, window), reached: null }
  if (window.kind === 'dates') return datedPartitions(connection, mounted, window)
  const column = found(mounted, window.column)
  const within = inside(column, window)
  if (!window.follow) return { condition: raw(within), reached: null }
  const isNumber = isNumeric(column.type)
  if (!isNumber && !isTemporal(column.type) && column.type.kind !== 'text')
    throw new AssayError('unprocessable', `The column "${column.name}" is ${column.dataType}: it cannot be a marker.`)
  const value = column.type.kind === 'text' ? `TRY_CAST(${column.text} AS TIMESTAMPTZ)` : column.sql
  const [top] = await readRow(connection, raw(`SELECT max(${value}) FROM ${mounted.relation} AS asset WHERE ${within}`))
  const reached = isNumber ? exactText(top) : instantText(top)
  if (reached === null) return { condition: raw('false'), reached: null }
  const limit: Bound = { kind: isNumber ? 'number' : 'time', text: reached }
  return { condition: raw(`${within} AND ${inside(column, { max: limit, inclusive: true })}`), reached }
}

/** The condition of one partition. A missing partition is an error and not an empty result. */
async function onePartition(
  connection: DuckDBConnection,
  mounted: Mounted,
  { values }: Extract<Window, { kind: 'partition' }>,
): Promise<Fragment> {
  const conditions = values.map(({ column, value }) => isPartition(found(mounted, column), value))
  const condition = raw(`(${conditions.join(' AND ')})`)
  const [row] = (
    await read(connection, sql`SELECT 1 FROM ${mounted.relation} AS asset WHERE ${condition} LIMIT 1`)
  ).getRows()
  if (row !== undefined) return condition
  const name = values.map(({ column, value }) => `${column}=${value ?? '__HIVE_DEFAULT_PARTITION__'}`).join('/')
  throw new AssayError('unprocessable', `There is no partition ${name} in the data.`)
}

/** The date of a row's partition, from all its parts. NULL if the parts form no date. */
function dateOf(mounted: Mounted, parts: Extract<Window, { kind: 'dates' }>['parts']): string {
  const [first] = parts
  if (first !== undefined && first.format === null && parts.length === 1) {
    return `CAST(${found(mounted, first.column).sql} AS TIMESTAMP)`
  }
  const texts = parts.map(({ column }) => `trim(${found(mounted, column).text})`)
  const formats = parts.map(({ format }) => format ?? '%Y-%m-%d')
  return `try_strptime(concat_ws(' ', ${texts.join(', ')}), ${textLiteral(formats.join(' '))})`
}

/** Rejects if no partition is a date, because an empty result would hide this. */
async function requireDates(
  connection: DuckDBConnection,
  mounted: Mounted,
  parts: Extract<Window, { kind: 'dates' }>['parts'],
): Promise<void> {
  const isAny = async (condition: string) => {
    const some = sql`SELECT 1 FROM ${mounted.relation} AS asset WHERE ${condition} LIMIT 1`
    return (await read(connection, some)).getRows().length > 0
  }
  if (await isAny(`${dateOf(mounted, parts)} IS NOT NULL`)) return
  const isGiven = parts.map(({ column }) => `${found(mounted, column).sql} IS NOT NULL`)
  if (!(await isAny(isGiven.join(' AND ')))) return
  const written = parts.map(({ column, format }) => (format === null ? column : `${column} (${format})`)).join(', ')
  throw new AssayError('unprocessable', `No partition is a date in the format ${written}: set the format of the dates.`)
}

const instantLiteral = (iso: string) => `CAST(${textLiteral(iso.replace(/Z$/, ''))} AS TIMESTAMP)`

async function datedPartitions(
  connection: DuckDBConnection,
  mounted: Mounted,
  window: Extract<Window, { kind: 'dates' }>,
): Promise<WindowRows> {
  await requireDates(connection, mounted, window.parts)
  const date = dateOf(mounted, window.parts)
  const equal = window.inclusive ? '=' : ''
  const bounds = [
    `${date} IS NOT NULL`,
    ...(window.min === undefined ? [] : [`${date} >${equal} ${instantLiteral(window.min)}`]),
    ...(window.max === undefined ? [] : [`${date} <${equal} ${instantLiteral(window.max)}`]),
  ]
  const within = `(${bounds.map((one) => `coalesce(${one}, false)`).join(' AND ')})`
  if (!window.follow) return { condition: raw(within), reached: null }
  const [top] = await readRow(connection, raw(`SELECT max(${date}) FROM ${mounted.relation} AS asset WHERE ${within}`))
  const reached = instantText(top)
  if (reached === null) return { condition: raw('false'), reached: null }
  return { condition: raw(`(${within} AND ${date} <= ${instantLiteral(reached)})`), reached }
}

function found(mounted: Mounted, name: string): Column {
  try {
    return columnFinder(mounted.columns, duckdbDialect)(name)
  } catch {
    throw new AssayError('unprocessable', `The column "${name}" of the marker is not in the data.`)
  }
}

function inside(column: Column, range: Pick<Extract<Window, { kind: 'column' }>, 'min' | 'max' | 'inclusive'>): string {
  return `(${column.sql} IS NOT NULL AND NOT coalesce(${outsideRange(column, range)}, true))`
}
