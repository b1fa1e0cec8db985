import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import { preparing, runSearch, type SearchRequest } from './search-reading.ts'

/** The other half of `search-thread.ts`: a connection that only reads, on a thread that nobody waits for. */
const port = parentPort
if (port !== null) {
  const database = new DatabaseSync(String(workerData), { readOnly: true, timeout: 5000 })
  database.exec('PRAGMA cache_size = -16000; PRAGMA temp_store = MEMORY; PRAGMA mmap_size = 1073741824')
  const prepare = preparing(database)
  port.on('message', async ({ id, request }: { id: number; request: SearchRequest }) => {
    try {
      // One snapshot for all that one search reads.
      database.exec('BEGIN')
      try {
        port.postMessage({ id, answer: await runSearch(prepare, request) })
      } finally {
        database.exec('COMMIT')
      }
    } catch (error) {
      port.postMessage({ id, problem: error instanceof Error ? error.message : String(error) })
    }
  })
}
