import { describe, expect, it, vi } from 'vitest'
import { createJobQueue } from './job-queue.ts'

const job = (requestId: string, tenant = 't') => ({ tenant, requestId })

/** A queue whose jobs end when a spec says so, or when it closes. */
function createQueue(maxAtOnce: number) {
  const begun: string[] = []
  const ends = new Map<string, (error?: Error) => void>()
  const lost: string[] = []
  const queue = createJobQueue<{ tenant: string; requestId: string }>({
    maxAtOnce,
    work: ({ requestId }, stopping) =>
      new Promise((resolve, reject) => {
        begun.push(requestId)
        ends.set(requestId, (error) => (error ? reject(error) : resolve()))
        stopping.addEventListener('abort', () => resolve())
      }),
    onError: (error, { requestId }) => lost.push(`${requestId}: ${error}`),
  })
  return { queue, begun, lost, end: (requestId: string, error?: Error) => ends.get(requestId)?.(error) }
}

describe('a queue of jobs', () => {
  it('given it is not open yet, when it is opened, then it works on jobs taken before', () => {
    const { queue, begun } = createQueue(2)
    queue.take(job('a'))
    expect(begun).toEqual([])
    queue.open()
    expect(begun).toEqual(['a'])
  })

  it('given more jobs than slots, then one begins when another ends, in order', async () => {
    const { queue, begun, end } = createQueue(2)
    queue.open()
    for (const id of ['a', 'b', 'c', 'd']) queue.take(job(id))
    expect(begun).toEqual(['a', 'b'])
    end('b')
    await vi.waitFor(() => expect(begun).toEqual(['a', 'b', 'c']))
  })

  it('given a job that waits or runs, when it is taken again, then it runs once; after its end, again', async () => {
    const { queue, begun, end } = createQueue(1)
    queue.open()
    for (const id of ['a', 'b', 'a', 'b']) queue.take(job(id))
    end('a')
    await vi.waitFor(() => expect(begun).toEqual(['a', 'b']))
    queue.take(job('a'))
    end('b')
    await vi.waitFor(() => expect(begun).toEqual(['a', 'b', 'a']))
  })

  it('given many jobs of one tenant, when another tenant asks, then its job is the next', async () => {
    const { queue, begun, end } = createQueue(1)
    queue.open()
    for (const id of ['a', 'b', 'c']) queue.take(job(id))
    queue.take(job('z', 'other'))
    end('a')
    await vi.waitFor(() => expect(begun).toEqual(['a', 'z']))
  })

  it('given a cancelled job, then it never begins, or its work is aborted', async () => {
    const { queue, begun } = createQueue(1)
    queue.open()
    for (const id of ['a', 'b', 'c']) queue.take(job(id))
    queue.cancel('b')
    queue.cancel('a')
    await vi.waitFor(() => expect(begun).toEqual(['a', 'c']))
    expect(queue.waiting()).toEqual([])
  })

  it('given a job that rejects, then the error is reported, and the next one begins', async () => {
    const { queue, begun, lost, end } = createQueue(1)
    queue.open()
    for (const id of ['a', 'b']) queue.take(job(id))
    end('a', new Error('the log is gone'))
    await vi.waitFor(() => expect(begun).toEqual(['a', 'b']))
    expect(lost).toEqual(['a: Error: the log is gone'])
  })

  it('when it closes, then running jobs are aborted and awaited, waiting ones are dropped, and it can be opened again', async () => {
    const { queue, begun } = createQueue(1)
    queue.open()
    for (const id of ['a', 'b']) queue.take(job(id))
    await queue.close()
    expect([queue.isOpen(), begun]).toEqual([false, ['a']])
    queue.open()
    queue.take(job('c'))
    expect([queue.isOpen(), begun]).toEqual([true, ['a', 'c']])
  })
})
