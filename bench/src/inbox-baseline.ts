import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

const perTransaction = 50

/**
 * Copies the first `count` notifications of the file at `path` with the bare driver: an event and a document each, with
 * the indexes of the log but none on the document. Returns the time in milliseconds.
 */
export function bareInserts(path: string, count: number): number {
  const folder = mkdtempSync(join(tmpdir(), 'assay-bench-inserts-'))
  const raw = new DatabaseSync(join(folder, 'raw.db'))
  try {
    raw.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
    raw.exec(`ATTACH '${path}' AS source`)
    const events = raw.prepare("SELECT * FROM source.event WHERE category = 'notification' LIMIT ?").all(count)
    const bodies = raw.prepare('SELECT id, body FROM source.doc_notifications LIMIT ?').all(count)
    raw.exec(`CREATE TABLE event (position INTEGER PRIMARY KEY, stream TEXT NOT NULL, revision INTEGER NOT NULL,
      id TEXT NOT NULL, metadata TEXT NOT NULL, data TEXT NOT NULL);
      CREATE UNIQUE INDEX by_revision ON event (stream, revision); CREATE INDEX by_id ON event (id);
      CREATE TABLE notification (id TEXT PRIMARY KEY, body TEXT NOT NULL)`)
    const event = raw.prepare('INSERT INTO main.event (stream, revision, id, metadata, data) VALUES (?, ?, ?, ?, ?)')
    const document = raw.prepare('INSERT INTO notification (id, body) VALUES (?, ?)')
    const began = performance.now()
    for (let from = 0; from < events.length; from += perTransaction) {
      raw.exec('BEGIN IMMEDIATE')
      for (const { stream, revision, id, metadata, data } of events.slice(from, from + perTransaction))
        event.run(stream ?? '', revision ?? 0, id ?? '', metadata ?? '', data ?? '')
      for (const { id, body } of bodies.slice(from, from + perTransaction)) document.run(id ?? '', body ?? '')
      raw.exec('COMMIT')
    }
    return performance.now() - began
  } finally {
    raw.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
