import { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { cutAt } from '../page-bytes.ts'
import { type FollowedNames, followAll } from './followed-names.ts'
import { runSearch } from './search-reading.ts'
import { type CountRequest, preparing, reading } from './search-request.ts'
import type { WorkerReply, WorkerRequest } from './search-thread.ts'

/**
 * Maximum number of names in memory, of all tenants together; each takes about 0.5 KB. Searches of further tenants use
 * the tables.
 */
const mostNames = 500_000

/** The thread that `search-thread.ts` starts. It has a read-only connection. */
const port = parentPort
if (port !== null) {
  const database = new DatabaseSync(String(workerData), { readOnly: true, timeout: 5000 })
  database.exec('PRAGMA cache_size = -16000; PRAGMA temp_store = MEMORY; PRAGMA mmap_size = 1073741824')
  const prepare = preparing(database)
  const all = reading(prepare)
  const followed = followAll(all, mostNames)
  const loading = new Set<FollowedNames>()

  /**
   * Loads names between searches. Until it is done, searches use the tables. After a failure, the next search starts it
   * again.
   */
  async function load(names: FollowedNames): Promise<void> {
    if (loading.has(names)) return
    loading.add(names)
    try {
      do await nextTurn()
      while (!names.load())
    } catch {
      // The next search reports the error.
    } finally {
      loading.delete(names)
    }
  }

  /** Yields row by row, so that only as many are read as fit. */
  function* textsIn({ sql, values }: CountRequest): Generator<string> {
    for (const row of prepare(sql).iterate(...values)) yield String(Object.values(row)[0])
  }

  async function answered({ id, request, count, texts }: WorkerRequest): Promise<WorkerReply> {
    if (count !== undefined) return { id, count: Number(all(count.sql, ...count.values)[0]?.[0] ?? 0) }
    if (texts !== undefined) return { id, texts: cutAt(texts.maxBytes, textsIn(texts)) }
    if (request === undefined) return { id, problem: 'The message to the search thread has no request.' }
    // The transaction gives all reads of a search the same snapshot.
    database.exec('BEGIN')
    try {
      const names = followed.of(request.search, request.tenant)
      const kept = names.now()
      if (kept === undefined) void load(names)
      const answer = await runSearch(prepare, request, kept)
      const { texts: bodies, isCut } = cutAt(request.maxBytes, answer.bodies)
      return { id, answer: { ...answer, bodies, isCut } }
    } finally {
      database.exec('COMMIT')
    }
  }

  port.on('message', async (asked: WorkerRequest) => {
    try {
      port.postMessage(await answered(asked))
    } catch (error) {
      port.postMessage({ id: asked.id, problem: error instanceof Error ? error.message : String(error) })
    }
  })
}
