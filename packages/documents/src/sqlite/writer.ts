import type { Database, SqlValue } from '@assay/sqlite'
import type { EncodedPut } from '../encoded-put.ts'
import type { FieldValue } from '../port.ts'
import { foldedCase } from '../text.ts'
import { bound } from './filter.ts'
import { nameKey } from './names.ts'
import type { Table } from './table.ts'

function foldedIfOther(value: FieldValue): SqlValue {
  if (typeof value !== 'string') return null
  const folded = foldedCase(value)
  return folded === value ? null : folded
}

/** Puts one document into `name`, the live table or a shadow of it, unless the stored revision is as high. */
export function writeRow(database: Database, table: Table, name: string, put: EncodedPut): void {
  const { tenant, id, source, text, values } = put
  const folded = table.textId ? [foldedIfOther(id)] : []
  const columns = values.flatMap((value, index) =>
    table.textFields[index] === true ? [bound(value), foldedIfOther(value)] : [bound(value)],
  )
  const removed = text === null ? 1 : 0
  const names =
    table.search === undefined ? [] : [nameKey(database, table.search, tenant, values[table.search.nameIndex])]
  database
    .prepare(table.upsert(name))
    .run(tenant, id, source.revision, source.position, removed, ...folded, ...columns, ...names, text)
}
