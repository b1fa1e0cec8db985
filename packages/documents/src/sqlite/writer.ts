import { type Database, numberIn, type SqlValue, textIn } from '@assay/sqlite'
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

/**
 * Puts one document into `name` (the live table or its shadow), unless the stored revision is at least as high. Must be
 * called within a transaction. Writes only changed columns: most updates change few of them, and the indexes of the
 * others would take most of the time.
 */
export function writeRow(database: Database, table: Table, name: string, put: EncodedPut): void {
  const { tenant, id, source, text } = put
  const { revision, position } = source
  const values = valuesOf(database, table, put)
  const inserted = database.prepare(table.insert(name)).run(tenant, id, revision, position, ...values, text)
  if (inserted.changes > 0) return
  const stored = database.prepare(table.compare(name)).get(...values, tenant, id)
  if (stored === undefined || numberIn(stored, 'revision') >= revision) return
  const same = textIn(stored, 'same')
  const changed = values.filter((_, index) => same[index] === '0')
  database.prepare(table.update(name, same)).run(revision, position, ...changed, text, tenant, id, revision)
}

/** The columns of a document, in the order of the table's `values`. */
function valuesOf(database: Database, table: Table, { tenant, id, text, values }: EncodedPut): SqlValue[] {
  const columns = values.flatMap((value, index) =>
    table.textFields[index] === true ? [bound(value), foldedIfOther(value)] : [bound(value)],
  )
  const names =
    table.search === undefined ? [] : [nameKey(database, table.search, tenant, values[table.search.nameIndex])]
  return [text === null ? 1 : 0, ...(table.textId ? [foldedIfOther(id)] : []), ...columns, ...names]
}
