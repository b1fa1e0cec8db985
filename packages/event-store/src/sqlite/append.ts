import { AssayError } from '@assay/service-kit/errors'
import { type Database, numberIn, textIn } from '@assay/sqlite'
import type { EncodedEvent } from '../limits.ts'
import type { Appended, ExpectedRevision } from '../port.ts'
import { positionText } from './positions.ts'

export interface EncodedAppend {
  stream: string
  category: string
  events: readonly EncodedEvent[]
  expected: ExpectedRevision
  recordedAt: string
}

/** Appends within the open transaction. Throws `conflict` before anything is written. */
export type AppendRows = (append: EncodedAppend) => Appended

export function createAppendRows(database: Database): AppendRows {
  const head = database.prepare('SELECT revision FROM event WHERE stream = ? ORDER BY revision DESC LIMIT 1')
  const insert = database.prepare(
    `INSERT INTO event (stream, revision, category, id, type, recorded_at, metadata, data)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const from = database.prepare(
    'SELECT position, id FROM event WHERE stream = ? AND revision >= ? ORDER BY revision LIMIT ?',
  )
  const byId = database.prepare('SELECT revision FROM event WHERE id = ? AND stream = ? ORDER BY revision LIMIT 1')

  /** The result of an earlier append of exactly these events; `undefined` if the stream lacks some of them. */
  function alreadyAt(stream: string, first: number, events: readonly EncodedEvent[]): Appended | undefined {
    const rows = from.all(stream, first, events.length)
    if (rows.length !== events.length) return undefined
    if (rows.some((row, index) => textIn(row, 'id') !== events[index]?.id)) return undefined
    const last = rows.at(-1)
    return last && { revision: first + rows.length - 1, position: positionText(numberIn(last, 'position')) }
  }

  function conflict(append: EncodedAppend, revision: number): AssayError {
    return new AssayError('conflict', 'Another writer was first. Read the stream again and decide again.', {
      details: { stream: append.stream, expected: append.expected, revision },
    })
  }

  function insertAll(append: EncodedAppend, revision: number): Appended {
    const { stream, category, recordedAt } = append
    let next = revision
    let rowid = 0
    for (const { id, type, metadata, data } of append.events) {
      next += 1
      rowid = insert.run(stream, next, category, id, type, recordedAt, metadata, data).lastInsertRowid
    }
    return { revision: next, position: positionText(rowid) }
  }

  return (append) => {
    const { stream, events, expected } = append
    const headRow = head.get(stream)
    const revision = headRow === undefined ? -1 : numberIn(headRow, 'revision')
    if (expected === 'any' || expected === 'exists') {
      const known = byId.get(events[0]?.id ?? '', stream)
      if (known !== undefined) {
        const already = alreadyAt(stream, numberIn(known, 'revision'), events)
        if (already === undefined) throw conflict(append, revision)
        return already
      }
      if (expected === 'exists' && revision < 0) throw conflict(append, revision)
      return insertAll(append, revision)
    }
    const wanted = expected === 'none' ? -1 : expected
    if (revision === wanted) return insertAll(append, revision)
    const already = wanted < revision ? alreadyAt(stream, wanted + 1, events) : undefined
    if (already === undefined) throw conflict(append, revision)
    return already
  }
}
