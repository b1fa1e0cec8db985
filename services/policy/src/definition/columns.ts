import type { TableMessage } from '@assay/contracts'
import { missingColumn } from '@assay/reliability'
import { refusal } from './refusal.ts'

type Column = TableMessage['columns'][number]

/** The column of that name. `side` is set for policies with two assets. Throws `invalid` at `path`. */
export function columnOf(table: TableMessage, name: string, path: string, side = ''): Column {
  const column = table.columns.find((one) => one.name === name)
  if (column !== undefined) return column
  throw refusal(path, missingColumn(name, table.columns, side === '' ? 'asset' : `${side} asset`))
}
