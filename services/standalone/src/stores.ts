import { join } from 'node:path'
import { createSqliteDocuments } from '@assay/documents/sqlite'
import { createSqliteCheckpoints, createSqliteCommit, createSqliteEventStore } from '@assay/event-store/sqlite'
import type { Clock } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { openDatabase } from '@assay/sqlite'
import { collections } from './read-models.ts'

/**
 * Opens the log, the read models and the checkpoints of a data folder: one SQLite file, so that an event, its documents
 * and a checkpoint share a transaction. Throws `unavailable` while another process has the folder.
 */
export function openStores(dataDir: string, clock: Clock) {
  const lock = holdFolder(dataDir)
  const database = openDatabase({ path: join(dataDir, 'assay.db') })
  const store = createSqliteEventStore({ database, clock })
  const documents = createSqliteDocuments({ database, collections })
  const checkpoints = createSqliteCheckpoints(database)
  const commit = createSqliteCommit({ database, store, documents })
  return {
    database,
    store,
    documents,
    checkpoints,
    commit,
    async close() {
      await documents.close()
      await store.close()
      await database.close()
      await lock.close()
    },
  }
}

/** A lock that the system lets go of when the process dies, however it dies. */
function holdFolder(dataDir: string) {
  const lock = openDatabase({ path: join(dataDir, 'in-use.db') })
  try {
    lock.exec('PRAGMA busy_timeout = 200')
    lock.exec('PRAGMA locking_mode = EXCLUSIVE')
    lock.exec('BEGIN EXCLUSIVE')
    lock.exec('CREATE TABLE IF NOT EXISTS held (by INTEGER)')
    lock.exec('COMMIT')
    return lock
  } catch (cause) {
    throw new AssayError(
      'unavailable',
      `Another Assay uses the data folder ${dataDir}. Stop it, or set ASSAY_DATA_DIR to another folder.`,
      { cause },
    )
  }
}
