import { Worker } from 'node:worker_threads'
import { AssayError } from '@assay/service-kit/errors'
import type { CountRequest, SearchAnswer, SearchRequest } from './search-request.ts'

/** Questions that wait for the one at work. */
const maxWaiting = 200

interface Waiting {
  resolve: (reply: Reply) => void
  reject: (error: unknown) => void
}
/** What the worker is asked for: one of the two. */
export interface Asked {
  id: number
  request?: SearchRequest
  count?: CountRequest
}
export interface Reply {
  id: number
  answer?: SearchAnswer
  count?: number
  problem?: string
}

const failed = (cause: Error) => new AssayError('unavailable', 'The search failed. Try again.', { cause })

/**
 * Searches, and counts that take long, on a thread of its own, with a connection that only reads, so that requests are
 * served meanwhile. Started by the first question; one that fails is started again by the next. `unavailable` when too
 * many wait, or it fails.
 */
export function createSearchThread(path: string) {
  const waiting = new Map<number, Waiting>()
  let last = 0
  let worker: Worker | undefined

  function fail(cause: unknown): void {
    worker = undefined
    const error = new AssayError('unavailable', 'The search stopped. Try again.', { cause })
    for (const { reject } of waiting.values()) reject(error)
    waiting.clear()
  }

  function started(): Worker {
    if (worker !== undefined) return worker
    const made = new Worker(new URL('./search-worker.ts', import.meta.url), { workerData: path })
    made.unref()
    made.on('message', (reply: Reply) => {
      const asked = waiting.get(reply.id)
      waiting.delete(reply.id)
      if (waiting.size === 0) made.unref()
      if (reply.problem === undefined) asked?.resolve(reply)
      else asked?.reject(failed(new Error(reply.problem)))
    })
    made.on('error', (error) => {
      if (worker === made) fail(error)
    })
    made.on('exit', () => {
      if (worker === made) fail(new Error('The search thread ended.'))
    })
    worker = made
    return made
  }

  function ask(asked: Omit<Asked, 'id'>): Promise<Reply> {
    if (waiting.size >= maxWaiting)
      return Promise.reject(new AssayError('unavailable', 'Too many searches wait. Try again in a moment.'))
    return new Promise((resolve, reject) => {
      last += 1
      waiting.set(last, { resolve, reject })
      const thread = started()
      thread.ref()
      thread.postMessage({ id: last, ...asked } satisfies Asked)
    })
  }

  return {
    /** Whether as many wait as may: the next one is refused. */
    isFull: () => waiting.size >= maxWaiting,
    async search(request: SearchRequest): Promise<SearchAnswer> {
      const { answer } = await ask({ request })
      if (answer === undefined) throw failed(new Error('No answer came.'))
      return answer
    },
    async count(count: CountRequest): Promise<number> {
      const reply = await ask({ count })
      if (reply.count === undefined) throw failed(new Error('No count came.'))
      return reply.count
    },
    async close(): Promise<void> {
      const open = worker
      if (open === undefined) return
      fail(new Error('The documents are closed.'))
      await open.terminate()
    },
  }
}
