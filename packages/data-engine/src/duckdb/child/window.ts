import { AssayError } from '@assay/service-kit/errors'
import type { DuckDBConnection } from '@duckdb/node-api'
import type { Bound, Window } from '../../plan.ts'
import { type Fragment, raw } from '../../sql/fragment.ts'
import { type Column, columnFinder } from '../../sql/predicate/column.ts'
import { outsideRange } from '../../sql/predicate/range.ts'
import type { Mounted } from '../mount.ts'
import { exactText, instantText } from '../values.ts'
import { readRow } from './database.ts'

/** The rows of a window as a condition (null: all), and the highest value that a followed one holds. */
export interface WindowRows {
  condition: Fragment | null
  reached: string | null
}

const timeFamilies = new Set(['date', 'timestamp', 'timestamptz', 'text'])

/** Looks at a window once, before the scan, so that the rows of all statements are the same whatever is added meanwhile. */
export async function openWindow(
  connection: DuckDBConnection,
  mounted: Mounted,
  window: Window | undefined,
): Promise<WindowRows> {
  if (window === undefined) return { condition: null, reached: null }
  if (window.kind === 'files') {
    const { files } = mounted
    if (files === undefined) throw new AssayError('unprocessable', 'A marker on files needs an asset of files.')
    return { condition: files.none ? raw('false') : null, reached: window.follow && !files.none ? files.newest : null }
  }
  const column = found(mounted, window.column)
  const within = inside(column, window)
  if (!window.follow) return { condition: raw(within), reached: null }
  const isNumber = ['integer', 'decimal', 'float'].includes(column.type.family)
  if (!isNumber && !timeFamilies.has(column.type.family))
    throw new AssayError('unprocessable', `The column "${column.name}" is ${column.dataType}: it can carry no marker.`)
  const value = column.type.family === 'text' ? `TRY_CAST(${column.text} AS TIMESTAMPTZ)` : column.sql
  const [top] = await readRow(connection, raw(`SELECT max(${value}) FROM ${mounted.relation} AS asset WHERE ${within}`))
  const reached = isNumber ? exactText(top) : instantText(top)
  if (reached === null) return { condition: raw('false'), reached: null }
  const limit: Bound = { kind: isNumber ? 'number' : 'time', text: reached }
  return { condition: raw(`${within} AND ${inside(column, { max: limit, inclusive: true })}`), reached }
}

function found(mounted: Mounted, name: string): Column {
  try {
    return columnFinder(mounted.columns)(name)
  } catch {
    throw new AssayError('unprocessable', `The column "${name}" of the marker is not in the data.`)
  }
}

function inside(column: Column, range: Pick<Extract<Window, { kind: 'column' }>, 'min' | 'max' | 'inclusive'>): string {
  return `(${column.sql} IS NOT NULL AND NOT coalesce(${outsideRange(column, range)}, true))`
}
