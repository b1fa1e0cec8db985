import type { Database } from '@assay/sqlite'

/**
 * `position` is the rowid: SQLite assigns it in commit order, because the file has one writer at a time. `category`
 * precedes the data, so that a filtered read of the log does not read the overflow pages of large events. The id has no
 * unique index: the same event may be appended again at another revision.
 */
export function createEventTables(database: Database): void {
  database.exec(`
    CREATE TABLE IF NOT EXISTS event (
      position INTEGER PRIMARY KEY,
      stream TEXT NOT NULL,
      revision INTEGER NOT NULL,
      category TEXT NOT NULL,
      id TEXT NOT NULL,
      type TEXT NOT NULL,
      recorded_at TEXT NOT NULL,
      metadata TEXT NOT NULL,
      data TEXT NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX IF NOT EXISTS event_by_revision ON event (stream, revision);
    CREATE INDEX IF NOT EXISTS event_by_id ON event (id);
  `)
}
