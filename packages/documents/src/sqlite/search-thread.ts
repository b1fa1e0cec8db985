import { Worker } from 'node:worker_threads'
import { AssayError } from '@assay/service-kit/errors'
import type { CutTexts } from '../page-bytes.ts'
import type { CountRequest, SearchAnswer, SearchRequest } from './search-request.ts'

/** Maximum number of requests in the queue, including the running one. */
const maxWaiting = 200
/**
 * Maximum number of requests that are sent to the thread: the running one and the next one, so that the thread never
 * waits.
 */
const atThread = 2

interface Waiting {
  asked: WorkerRequest
  resolve: (reply: WorkerReply) => void
  reject: (error: unknown) => void
}
/** A message to the worker, with one of the three kinds of request. */
export interface WorkerRequest {
  id: number
  request?: SearchRequest
  count?: CountRequest
  texts?: CountRequest
}
export interface WorkerReply {
  id: number
  answer?: SearchAnswer
  count?: number
  texts?: CutTexts
  problem?: string
}

const failed = (cause: Error) => new AssayError('unavailable', 'The search failed. Try again.', { cause })

/**
 * A thread with a read-only connection, for searches and for counts and pages that take long, so that requests are
 * served meanwhile. The first request starts it. If it fails, the next request starts it again. Throws `unavailable` if
 * the queue is full or the thread fails. If `signal` aborts, throws its reason, and a request that has not begun is
 * skipped.
 */
export function createSearchThread(path: string) {
  /** Queued requests by id, in order of arrival. The first of them were already sent to the thread. */
  const waiting = new Map<number, Waiting>()
  const there = new Set<number>()
  let last = 0
  let worker: Worker | undefined

  function fail(cause: unknown): void {
    worker = undefined
    const error = new AssayError('unavailable', 'The search stopped. Try again.', { cause })
    for (const { reject } of waiting.values()) reject(error)
    waiting.clear()
    there.clear()
  }

  function started(): Worker {
    if (worker !== undefined) return worker
    const made = new Worker(new URL('./search-worker.ts', import.meta.url), { workerData: path })
    made.unref()
    made.on('message', (reply: WorkerReply) => {
      const asked = waiting.get(reply.id)
      waiting.delete(reply.id)
      there.delete(reply.id)
      sendMore(made)
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

  function sendMore(thread: Worker): void {
    for (const [id, { asked }] of waiting) {
      if (there.size >= atThread) break
      if (there.has(id)) continue
      there.add(id)
      thread.postMessage(asked)
    }
    if (there.size === 0) thread.unref()
  }

  async function ask(question: Omit<WorkerRequest, 'id'>, signal: AbortSignal | undefined): Promise<WorkerReply> {
    signal?.throwIfAborted()
    if (waiting.size >= maxWaiting)
      throw new AssayError('unavailable', 'Too many searches are waiting. Try again in a moment.')
    last += 1
    const id = last
    const leave = () => {
      waiting.get(id)?.reject(signal?.reason)
      // A request that was sent to the thread stays in the queue until it is answered.
      if (!there.has(id)) waiting.delete(id)
    }
    try {
      return await new Promise<WorkerReply>((resolve, reject) => {
        waiting.set(id, { asked: { id, ...question }, resolve, reject })
        signal?.addEventListener('abort', leave, { once: true })
        const thread = started()
        thread.ref()
        sendMore(thread)
      })
    } finally {
      signal?.removeEventListener('abort', leave)
    }
  }

  return {
    /** Whether the queue is full, so that the next request is refused. */
    isFull: () => waiting.size >= maxWaiting,
    async search(request: SearchRequest, signal?: AbortSignal): Promise<SearchAnswer> {
      const { answer } = await ask({ request }, signal)
      if (answer === undefined) throw failed(new Error('No answer came.'))
      return answer
    },
    async count(count: CountRequest, signal?: AbortSignal): Promise<number> {
      const reply = await ask({ count }, signal)
      if (reply.count === undefined) throw failed(new Error('No count came.'))
      return reply.count
    },
    async texts(texts: CountRequest, signal?: AbortSignal): Promise<CutTexts> {
      const reply = await ask({ texts }, signal)
      if (reply.texts === undefined) throw failed(new Error('No page came.'))
      return reply.texts
    },
    async close(): Promise<void> {
      const open = worker
      if (open === undefined) return
      fail(new Error('The documents are closed.'))
      await open.terminate()
    },
  }
}
