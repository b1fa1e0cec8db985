import { type Database, numberIn, type Row, textIn } from '@assay/sqlite'
import type { Checkpoints, ParkedStream } from '../checkpoints.ts'
import type { Position } from '../port.ts'

export interface SqliteCheckpoints extends Checkpoints {
  /** Sets the checkpoint within the open transaction, together with the effects of the events. */
  setNow(name: string, position: Position): void
}

/** Checkpoints and parked streams in the tables `checkpoint`, `parked_stream` and `parked_stream_asked` of `database`. */
export function createSqliteCheckpoints(database: Database): SqliteCheckpoints {
  database.exec(`
    CREATE TABLE IF NOT EXISTS checkpoint (name TEXT PRIMARY KEY, position TEXT NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS parked_stream (
      name TEXT NOT NULL, stream TEXT NOT NULL, from_revision INTEGER NOT NULL, reason TEXT NOT NULL,
      parked_at TEXT NOT NULL, PRIMARY KEY (name, stream)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS parked_stream_asked (
      name TEXT NOT NULL, stream TEXT NOT NULL, PRIMARY KEY (name, stream)
    ) STRICT, WITHOUT ROWID;
  `)
  const get = database.prepare('SELECT position FROM checkpoint WHERE name = ?')
  const set = database.prepare(
    'INSERT INTO checkpoint VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET position = excluded.position',
  )
  const forget = database.prepare('DELETE FROM checkpoint WHERE name = ?')
  const withAsked = `SELECT parked_stream.*, parked_stream_asked.name IS NOT NULL AS is_asked
    FROM parked_stream LEFT JOIN parked_stream_asked USING (name, stream)`
  const parkedByAll = database.prepare(`${withAsked} ORDER BY parked_at, name, stream`)
  const parked = database.prepare(`${withAsked} WHERE parked_stream.name = ? ORDER BY parked_at, stream`)
  const known = database.prepare('SELECT 1 FROM parked_stream WHERE name = ? AND stream = ?')
  const park = database.prepare('INSERT INTO parked_stream VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING')
  const unpark = database.prepare('DELETE FROM parked_stream WHERE name = ? AND stream = ?')
  const ask = database.prepare('INSERT INTO parked_stream_asked VALUES (?, ?) ON CONFLICT DO NOTHING')
  const unask = database.prepare('DELETE FROM parked_stream_asked WHERE name = ? AND stream = ?')
  const giveReason = database.prepare('UPDATE parked_stream SET reason = ? WHERE name = ? AND stream = ?')

  function parkedIn(row: Row): ParkedStream {
    return {
      stream: textIn(row, 'stream'),
      fromRevision: numberIn(row, 'from_revision'),
      reason: textIn(row, 'reason'),
      parkedAt: textIn(row, 'parked_at'),
      ...(numberIn(row, 'is_asked') === 1 ? { isRetryRequested: true } : {}),
    }
  }

  function positionOf(name: string): Position | undefined {
    const row = get.get(name)
    return row === undefined ? undefined : textIn(row, 'position')
  }
  const setNow = (name: string, position: Position): void => {
    set.run(name, position)
  }
  return {
    get: async (name) => positionOf(name),
    // Only one process uses the file, so fences are not needed.
    begin: async (name) => positionOf(name),
    set: (name, position) => database.write(() => setNow(name, position)),
    setNow,
    restart: (name) => database.write(() => forget.run(name).changes > 0),
    parked: async (name) => parked.all(name).map(parkedIn),
    parkedByAll: async () => parkedByAll.all().map((row) => ({ ...parkedIn(row), name: textIn(row, 'name') })),
    async park(name, { stream, fromRevision, reason, parkedAt }) {
      await database.write(() => park.run(name, stream, fromRevision, reason.toWellFormed(), parkedAt))
    },
    unpark: (name, stream) =>
      database.write(() => {
        const isParked = known.get(name, stream) !== undefined
        unpark.run(name, stream)
        unask.run(name, stream)
        return isParked
      }),
    requestRetry: (name, stream) =>
      database.write(() => {
        const isParked = known.get(name, stream) !== undefined
        if (isParked) ask.run(name, stream)
        return isParked
      }),
    recordFailedRetry: (name, stream, reason) =>
      database.write(() => {
        giveReason.run(reason.toWellFormed(), name, stream)
        unask.run(name, stream)
      }),
  }
}
