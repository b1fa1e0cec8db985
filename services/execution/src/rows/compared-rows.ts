import type { ComparedRow } from '@assay/contracts'
import { z } from 'zod'
import type { KeptFile } from '../execution/run.ts'
import type { Preview } from './preview.ts'

const difference = z.enum(['CHANGED', 'ONLY_LEFT', 'ONLY_RIGHT'])
const names = z.array(z.string())
/** In rows from CSV files, the names are JSON. */
const namesOf = (value: unknown) => names.parse(typeof value === 'string' ? JSON.parse(value) : value)

/**
 * The rows with the values of each side by column, if they are from a comparison. Those that agree have no difference.
 * Values are masked already. Pure.
 */
export function comparedRows(
  rows: Preview['rows'],
  { sides }: Pick<KeptFile, 'sides'>,
): (Preview['rows'][number] & Partial<ComparedRow>)[] {
  if (sides === undefined) return rows
  return rows.map((row) => {
    const of = (side: 'LEFT' | 'RIGHT') =>
      Object.fromEntries(sides.flatMap((one) => (one.side === side ? [[one.column, row.values[one.name]]] : [])))
    if (!('__difference' in row.values)) return { ...row, left: of('LEFT'), right: of('RIGHT') }
    const found = difference.parse(row.values.__difference)
    const changedColumns = namesOf(row.values.__changed_columns)
    return {
      ...row,
      values: { ...row.values, __changed_columns: changedColumns },
      difference: found,
      left: found === 'ONLY_RIGHT' ? null : of('LEFT'),
      right: found === 'ONLY_LEFT' ? null : of('RIGHT'),
      changedColumns,
    }
  })
}
