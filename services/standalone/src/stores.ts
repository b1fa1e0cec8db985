import { join } from 'node:path'
import { createSqliteDocuments } from '@assay/documents/sqlite'
import { createSqliteCheckpoints, createSqliteCommit, createSqliteEventStore } from '@assay/event-store/sqlite'
import type { Clock } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { holdLock, openDatabase } from '@assay/sqlite'
import { collections } from './read-models.ts'

/**
 * Opens the log, the read models and the checkpoints of a data folder: one SQLite file, so that an event, its documents
 * and a checkpoint share a transaction. Throws `unavailable` while another process has the folder.
 */
export function openStores(dataDir: string, clock: Clock) {
  const lock = holdLock(join(dataDir, 'in-use'))
  if (lock === undefined) {
    throw new AssayError(
      'unavailable',
      `Another Assay uses the data folder ${dataDir}. Stop it, or set ASSAY_DATA_DIR to another folder.`,
    )
  }
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
      lock.release()
    },
  }
}
