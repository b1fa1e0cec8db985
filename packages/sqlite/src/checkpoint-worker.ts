import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'

/** The thread that `checkpoints.ts` starts. It copies what it can without waiting for readers or writers. */
const port = parentPort
if (port !== null) {
  const database = new DatabaseSync(String(workerData))
  // The small cache suffices, because a checkpoint copies pages without it.
  database.exec('PRAGMA cache_size = 10')
  const checkpoint = database.prepare('PRAGMA wal_checkpoint(PASSIVE)')
  port.on('message', () => {
    try {
      checkpoint.get()
    } catch {
      // A fault of the disk, which the next commit meets and reports. The checkpoint after it tries again.
    }
    port.postMessage('done')
  })
}
