import type { FindCursor } from 'mongodb'
import { wholePage } from '../page-bytes.ts'
import { type DocumentRecord, textOf } from './record.ts'

/** The records of a page. Throws `invalid` if they exceed `maxBytes`, and then reads no further records. */
export async function pageOf(
  cursor: FindCursor<DocumentRecord>,
  maxBytes = Number.POSITIVE_INFINITY,
): Promise<DocumentRecord[]> {
  if (maxBytes === Number.POSITIVE_INFINITY) return cursor.toArray()
  const records: DocumentRecord[] = []
  let bytes = 0
  for await (const record of cursor) {
    bytes += Buffer.byteLength(textOf(record))
    if (bytes > maxBytes && records.length > 0) wholePage({ texts: records.map(textOf), isCut: true })
    records.push(record)
  }
  return records
}
