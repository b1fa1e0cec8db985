import { join } from 'node:path'
import { chooseStores, type StoreChoice, type Stores } from '@assay/hosting'
import type { Clock, Logger, NewId, Outages, Timers } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { type Database, holdLock, openDatabase } from '@assay/sqlite'
import { collections } from './read-models.ts'

export interface StandaloneStores extends Stores {
  /** The database of the data folder: for ports in SQLite, and the embedded bus. */
  database: Database
}

/**
 * Opens the log, the read models and the checkpoints. If all are in the data folder, they are one SQLite file, so that
 * an event, its documents and a checkpoint share a transaction. Throws `unavailable` if another process uses the
 * folder, or if a server does not answer.
 */
export async function openStores(
  dataDir: string,
  choice: StoreChoice,
  ambient: { clock: Clock; timers: Timers; newId: NewId; logger: Logger; outages?: Outages },
): Promise<StandaloneStores> {
  const lock = holdLock(join(dataDir, 'in-use'))
  if (lock === undefined) {
    throw new AssayError(
      'unavailable',
      `Another Assay uses the data folder ${dataDir}. Stop it, or set ASSAY_DATA_DIR to another folder.`,
    )
  }
  const database = openDatabase({ path: join(dataDir, 'assay.db') })
  async function leave(): Promise<void> {
    await database.close()
    lock?.release()
  }
  try {
    const stores = await chooseStores(choice, { ...ambient, service: 'standalone', collections, database })
    return {
      ...stores,
      database,
      async close() {
        await stores.close()
        await leave()
      },
    }
  } catch (error) {
    await leave()
    throw error
  }
}

/** Whether an event and its documents are written in one transaction, so that no repair is needed. */
export function shareTransaction(choice: StoreChoice): boolean {
  return choice.ASSAY_EVENT_STORE === 'sqlite' && choice.ASSAY_DOCUMENTS === 'sqlite'
}
