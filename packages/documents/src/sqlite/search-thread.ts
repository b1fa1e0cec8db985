import { Worker } from 'node:worker_threads'
import { AssayError } from '@assay/service-kit/errors'
import type { CutTexts } from '../page-bytes.ts'
import type { CountRequest, SearchAnswer, SearchRequest } from './search-request.ts'

/** Questions that wait for the one at work, that one included. */
const maxWaiting = 200
/** Questions that the thread has: one at work, and one so that it need not wait for the next. */
const atThread = 2

interface Waiting {
  asked: Asked
  resolve: (reply: Reply) => void
  reject: (error: unknown) => void
}
/** What the worker is asked for: one of the three. */
export interface Asked {
  id: number
  request?: SearchRequest
  count?: CountRequest
  texts?: CountRequest
}
export interface Reply {
  id: number
  answer?: SearchAnswer
  count?: number
  texts?: CutTexts
  problem?: string
}

const failed = (cause: Error) => new AssayError('unavailable', 'The search failed. Try again.', { cause })

/**
 * Searches, and counts and pages that take long, on a thread of its own, with a connection that only reads, so that requests are
 * served meanwhile. Started by the first question; one that fails is started again by the next. `unavailable` when too
 * many wait, or it fails; the reason of `signal`, when that aborts: what has not begun is then not looked for.
 */
export function createSearchThread(path: string) {
  /** By their ids, in the order in which they came: the first of them are at the thread. */
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
    made.on('message', (reply: Reply) => {
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

  async function ask(question: Omit<Asked, 'id'>, signal: AbortSignal | undefined): Promise<Reply> {
    signal?.throwIfAborted()
    if (waiting.size >= maxWaiting)
      throw new AssayError('unavailable', 'Too many searches wait. Try again in a moment.')
    last += 1
    const id = last
    const leave = () => {
      waiting.get(id)?.reject(signal?.reason)
      // What the thread has keeps its place until it answers.
      if (!there.has(id)) waiting.delete(id)
    }
    try {
      return await new Promise<Reply>((resolve, reject) => {
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
    /** Whether as many wait as may: the next one is refused. */
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
