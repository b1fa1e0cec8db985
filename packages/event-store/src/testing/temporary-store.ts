import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Timers } from '@assay/service-kit'
import { type Database, openDatabase } from '@assay/sqlite'
import { createSqliteCheckpoints, type SqliteCheckpoints } from '../sqlite/checkpoints.ts'
import { createSqliteEventStore, type SqliteEventStore } from '../sqlite/event-store.ts'

/** A store in a temporary folder, with a clock that a test sets. */
export interface TemporaryStore {
  database: Database
  store: SqliteEventStore
  checkpoints: SqliteCheckpoints
  clock: { time: number; now(): number }
  timers: Timers
  newId(): string
  close(): Promise<void>
}

export function openTemporaryStore(): TemporaryStore {
  const folder = mkdtempSync(join(tmpdir(), 'assay-events-'))
  const database = openDatabase({ path: join(folder, 'events.db') })
  const clock = {
    time: Date.parse('2026-01-02T03:04:05.678Z'),
    now: () => clock.time,
  }
  const store = createSqliteEventStore({ database, clock })
  return {
    database,
    store,
    checkpoints: createSqliteCheckpoints(database),
    clock,
    timers: fastTimers,
    newId: randomUUID,
    async close() {
      await store.close()
      await database.close()
      rmSync(folder, { recursive: true })
    },
  }
}

/** Real timers that run a hundred times as fast. */
export const fastTimers: Timers = {
  sleep: (milliseconds, signal) =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds / 100)
      const end = (): void => {
        clearTimeout(timer)
        resolve()
      }
      if (signal?.aborted) end()
      signal?.addEventListener('abort', end, { once: true })
    }),
  every(milliseconds, work) {
    const timer = setInterval(work, milliseconds / 100)
    return { stop: () => clearInterval(timer) }
  },
}
