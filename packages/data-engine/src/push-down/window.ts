import { AssayError } from '@assay/service-kit/errors'
import type { Bound, Window } from '../plan.ts'
import { type Fragment, raw, sql } from '../sql/fragment.ts'
import { type Column, columnFinder } from '../sql/predicate/column.ts'
import { outsideRange } from '../sql/predicate/range.ts'
import { isNumeric, isTemporal } from '../types/logical-type.ts'
import type { Session } from './connection.ts'
import type { Database } from './database.ts'

/** The rows of a window as a condition (`null` means all rows), and the highest value in an INCREMENTAL window. */
export interface WindowRows {
  condition: Fragment | null
  reached: string | null
}

type ColumnWindow = Extract<Window, { kind: 'column' }>

/** Resolves a window once, before the scan, so that all statements read the same rows. */
export async function openWindow(
  database: Pick<Database, 'name' | 'exactText' | 'instantText'>,
  session: Session,
  window: Window | undefined,
): Promise<WindowRows> {
  if (window === undefined) return { condition: null, reached: null }
  if (window.kind !== 'column')
    throw new AssayError('unprocessable', `Tables of ${database.name} support markers on columns only.`)
  const column = found(session, window.column)
  const within = inside(column, window)
  if (!window.follow) return { condition: raw(within), reached: null }
  const isNumber = isNumeric(column.type)
  if (!isNumber && !isTemporal(column.type))
    throw new AssayError('unprocessable', `The column "${column.name}" is ${column.dataType}: it cannot be a marker.`)
  const [[top] = []] = await session.connection.read(
    sql`SELECT ${session.dialect.aggregate('MAX', raw(column.sql), column.type)} FROM ${session.relation} AS asset WHERE ${within}`,
  )
  const cell = top ?? { text: null, type: 0 }
  const reached = isNumber ? database.exactText(cell, column) : database.instantText(cell)
  if (reached === null) return { condition: raw('1 = 0'), reached: null }
  const limit: Bound = { kind: isNumber ? 'number' : 'time', text: reached }
  return { condition: raw(`${within} AND ${inside(column, { max: limit, inclusive: true })}`), reached }
}

function found({ columns, dialect }: Session, name: string): Column {
  try {
    return columnFinder(columns, dialect)(name)
  } catch {
    throw new AssayError('unprocessable', `The column "${name}" of the marker is not in the data.`)
  }
}

function inside(column: Column, range: Pick<ColumnWindow, 'min' | 'max' | 'inclusive'>): string {
  return `(${column.sql} IS NOT NULL AND NOT coalesce(${outsideRange(column, range)}, true))`
}
