import { type Database, numberIn, textIn } from '@assay/sqlite'
import type { Checkpoints } from '../checkpoints.ts'
import type { Position } from '../port.ts'

export interface SqliteCheckpoints extends Checkpoints {
  /** Sets within the transaction that is open: effect and checkpoint in one. */
  setNow(name: string, position: Position): void
}

/** Checkpoints and parked streams in the tables `checkpoint` and `parked_stream` of `database`. */
export function createSqliteCheckpoints(database: Database): SqliteCheckpoints {
  database.exec(`
    CREATE TABLE IF NOT EXISTS checkpoint (name TEXT PRIMARY KEY, position TEXT NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS parked_stream (
      name TEXT NOT NULL, stream TEXT NOT NULL, from_revision INTEGER NOT NULL, reason TEXT NOT NULL,
      parked_at TEXT NOT NULL, PRIMARY KEY (name, stream)
    ) STRICT, WITHOUT ROWID;
  `)
  const get = database.prepare('SELECT position FROM checkpoint WHERE name = ?')
  const set = database.prepare(
    'INSERT INTO checkpoint VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET position = excluded.position',
  )
  const parked = database.prepare('SELECT * FROM parked_stream WHERE name = ? ORDER BY parked_at, stream')
  const park = database.prepare('INSERT INTO parked_stream VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING')
  const unpark = database.prepare('DELETE FROM parked_stream WHERE name = ? AND stream = ?')

  const setNow = (name: string, position: Position): void => {
    set.run(name, position)
  }
  return {
    async get(name) {
      const row = get.get(name)
      return row === undefined ? undefined : textIn(row, 'position')
    },
    set: (name, position) => database.write(() => setNow(name, position)),
    setNow,
    async parked(name) {
      return parked.all(name).map((row) => ({
        stream: textIn(row, 'stream'),
        fromRevision: numberIn(row, 'from_revision'),
        reason: textIn(row, 'reason'),
        parkedAt: textIn(row, 'parked_at'),
      }))
    },
    async park(name, { stream, fromRevision, reason, parkedAt }) {
      await database.write(() => park.run(name, stream, fromRevision, reason.toWellFormed(), parkedAt))
    },
    async unpark(name, stream) {
      await database.write(() => unpark.run(name, stream))
    },
  }
}
