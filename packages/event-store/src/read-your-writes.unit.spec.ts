import { type Documents, defineCollection, type Query } from '@assay/documents'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createReadYourWrites } from './read-your-writes.ts'

const copy = z.object({ position: z.string() })
type Copy = z.infer<typeof copy>
const copies = defineCollection<Copy>({
  name: 'copies',
  version: 1,
  idType: 'integer',
  schema: copy,
  fields: { position: { type: 'text', of: ({ position }) => position } },
})

const never = new AbortController().signal
const none = async () => {}

interface Sleep {
  milliseconds: number
  end(): void
}

/** Documents by name, and sleeps that end when the test ends them. */
function setUp(stored: Record<string, string> = {}) {
  const there = new Map(Object.entries(stored))
  const sleeps = new Set<Sleep>()
  /** Number of positions in each query. */
  const finds: number[] = []
  const find = (async (_collection: unknown, _tenant: string, { where = [], size }: Query) => {
    const wanted: readonly unknown[] = where[0] && 'in' in where[0] ? where[0].in : []
    const documents = [...there.values()].filter((each) => wanted.includes(each)).map((position) => ({ position }))
    finds.push(wanted.length)
    return { documents: documents.slice(0, size), count: documents.length }
  }) as unknown as Documents['find']
  const sleep = async (milliseconds: number, signal?: AbortSignal) => {
    if (signal?.aborted) return
    await new Promise<void>((resolve) => {
      const one = { milliseconds, end: resolve }
      sleeps.add(one)
      signal?.addEventListener('abort', () => {
        sleeps.delete(one)
        resolve()
      })
    })
  }
  const followed = createReadYourWrites({ documents: { find }, collection: copies, timers: { sleep } })
  /** This process handles a message. */
  const handle = (position: string, name?: string, tenant = 't') =>
    followed.follow(tenant, position, async () => {
      if (name !== undefined) there.set(name, position)
    })
  const waitForPosition = (seen: readonly string[] | undefined, name: string) =>
    followed.waitForPosition({ tenant: 't', seen, readPosition: async () => there.get(name), signal: never })
  const assertReached = (seen: readonly string[] | undefined, name: string) =>
    followed.assertReached({ tenant: 't', seen, readPosition: async () => there.get(name), signal: never })
  const turns = async () => {
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
  }
  /** Whether `work` is done once everything else is idle. */
  const isDone = async (work: Promise<unknown>) => {
    let done = false
    void work.then(() => {
      done = true
    })
    await turns()
    return done
  }
  const pass = async (milliseconds: number) => {
    await turns()
    for (const one of [...sleeps]) {
      if (one.milliseconds !== milliseconds) continue
      sleeps.delete(one)
      one.end()
    }
    await turns()
  }
  return { there, followed, handle, waitForPosition, assertReached, isDone, pass, sleeps, finds }
}

describe('waiting for positions that a caller has seen', () => {
  it('given no seen positions, then the request does not wait', async () => {
    const { waitForPosition, sleeps } = setUp()
    await waitForPosition(undefined, 'x')
    await waitForPosition([], 'x')
    expect(sleeps.size).toBe(0)
  })

  it('given nothing is found, then `assertReached` throws unless the read model has reached the seen positions', async () => {
    const { assertReached, handle, isDone } = setUp({ old: '03' })
    await assertReached(undefined, 'x')
    await assertReached(['03'], 'x')
    const notReached = { code: 'unavailable', retryAfterSeconds: 1 }
    await expect(assertReached(['03', '07'], 'x')).rejects.toMatchObject(notReached)
    await handle('06', 'other')
    await expect(assertReached(['07'], 'x')).rejects.toMatchObject(notReached)
    // A later state of the document that was seen: its own position is no longer stored.
    await handle('09', 'other')
    expect(await isDone(assertReached(['07'], 'x'))).toBe(true)
  })

  it('given a document at or after the position, then the request does not wait', async () => {
    const { waitForPosition, sleeps } = setUp({ x: '07' })
    await waitForPosition(['06', '07'], 'x')
    expect(sleeps.size).toBe(0)
  })

  it('given a published position, when later messages have arrived, then the request still waits, up to its limit', async () => {
    const { there, followed, handle, isDone, pass } = setUp()
    const wait = () =>
      followed.waitForPosition({
        tenant: 't',
        seen: ['07'],
        isPublished: true,
        signal: never,
      })
    const waiting = wait()
    await handle('09', 'other')
    await pass(250)
    await pass(2_000)
    expect(await isDone(waiting)).toBe(false)
    await handle('07', 'it')
    await waiting
    there.delete('it')
    const again = wait()
    expect(await isDone(again)).toBe(false)
    await pass(10_000)
    await pass(25)
    await again
  })

  it('given a request that timed out without `isPublished`, then one with it still waits', async () => {
    const { handle, followed, waitForPosition, pass, isDone } = setUp()
    await handle('2')
    const unknowing = waitForPosition(['1'], 'p')
    await pass(250)
    await pass(25)
    expect(await isDone(unknowing)).toBe(true)
    const knowing = followed.waitForPosition({ tenant: 't', seen: ['1'], isPublished: true, signal: never })
    expect(await isDone(knowing)).toBe(false)
    await handle('1', 'p')
    expect(await isDone(knowing)).toBe(true)
  })

  it('given another document exactly at the position, then the request does not wait', async () => {
    const { waitForPosition, sleeps } = setUp({ x: '03', y: '07' })
    await waitForPosition(['07', '02'], 'x')
    expect(sleeps.size).toBe(0)
  })

  it('given an older document, then the wait ends when this process handles its message', async () => {
    const { waitForPosition, handle, isDone } = setUp({ x: '03' })
    const reached = waitForPosition(['08'], 'x')
    await handle('09', 'z', 'other')
    await handle('07', 'z')
    expect(await isDone(reached)).toBe(false)
    await handle('08', 'x')
    await reached
  })

  it('given a message that another replica handles, then the wait ends when the document is stored', async () => {
    const { waitForPosition, there, isDone, pass } = setUp({ x: '03' })
    const reached = waitForPosition(['08'], 'x')
    expect(await isDone(reached)).toBe(false)
    there.set('x', '08')
    await pass(25)
    await reached
  })

  it('given two positions, when the later message overtakes the earlier one, then the request waits for the earlier one', async () => {
    const { waitForPosition, handle, isDone, pass } = setUp({ x: '03' })
    const reached = waitForPosition(['07', '08'], 'x')
    await handle('08', 'y')
    await pass(25)
    expect(await isDone(reached)).toBe(false)
    await handle('07', 'x')
    await reached
  })

  it('given a position without a message, when later messages have arrived, then the request times out after a quarter of a second', async () => {
    const { waitForPosition, handle, isDone, pass } = setUp()
    await handle('09', 'y')
    const reached = waitForPosition(['08'], 'x')
    expect(await isDone(reached)).toBe(false)
    await pass(250)
    await pass(25)
    await reached
  })

  it('given an earlier message that is in progress or has failed, then the request waits longer than a quarter of a second', async () => {
    const { waitForPosition, followed, handle, isDone, pass } = setUp()
    await expect(followed.follow('t', '08', () => Promise.reject(new Error('full')))).rejects.toThrow('full')
    await handle('09', 'y')
    const reached = waitForPosition(['08'], 'x')
    await pass(250)
    await pass(25)
    expect(await isDone(reached)).toBe(false)
    await handle('08', 'x')
    await reached
  })

  it('given a failed message that is not redelivered here, then after a minute no request waits for it', async () => {
    const { waitForPosition, followed, handle, isDone, pass } = setUp()
    for (let n = 0; n < 3; n++)
      await expect(followed.follow('t', '01', () => Promise.reject(new Error('full')))).rejects.toThrow('full')
    await handle('09', 'y')
    await pass(60_000)
    const reached = waitForPosition(['08'], 'x')
    await pass(250)
    await pass(25)
    expect(await isDone(reached)).toBe(true)
  })

  it('given a failed message that is redelivered, then its minute begins again and ends with its success', async () => {
    const { waitForPosition, followed, handle, isDone, pass, sleeps } = setUp()
    const fail = () => expect(followed.follow('t', '01', () => Promise.reject(new Error('full')))).rejects.toThrow()
    await fail()
    const [first] = sleeps
    await fail()
    await handle('09', 'y')
    first?.end()
    const reached = waitForPosition(['08'], 'x')
    await pass(250)
    await pass(25)
    expect(await isDone(reached)).toBe(false)
    await handle('01')
    await pass(25)
    await reached
    expect(sleeps.size).toBe(0)
  })

  it('given very many failed messages, then only the last thousand are remembered', async () => {
    const { waitForPosition, followed, handle, isDone, pass, sleeps } = setUp()
    const failAt = (position: string) =>
      followed.follow('t', position, () => Promise.reject(new Error('full'))).catch(() => undefined)
    await failAt('0001')
    for (let n = 1; n <= 1_000; n++) await failAt(`1${String(n).padStart(3, '0')}x`)
    expect(sleeps.size).toBe(1_000)
    await handle('9', 'y')
    const reached = waitForPosition(['0002'], 'x')
    await pass(250)
    await pass(25)
    expect(await isDone(reached)).toBe(true)
  })

  it('given a caller that has seen many positions, then each check is one query, and a second one only if documents share a position', async () => {
    const seen = Array.from({ length: 16 }, (_, n) => String(10 + n))
    const some = setUp({ a: '10', b: '11' })
    void some.waitForPosition(seen, 'x')
    await some.pass(25)
    expect(some.finds).toEqual([16, 14])
    const many = setUp(Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`c${n}`, n < 17 ? '10' : '11'])))
    await many.waitForPosition(['10', '11'], 'x')
    expect(many.finds).toEqual([2, 1])
  })

  it('given a request that waits long, then messages of other positions no longer trigger its checks', async () => {
    const { waitForPosition, handle, finds, pass } = setUp()
    const waiting = waitForPosition(['99'], 'x')
    for (let n = 0; n < 30; n++) await pass(25)
    const before = finds.length
    for (let n = 10; n < 20; n++) await handle(String(n), 'y')
    await pass(25)
    expect(finds.length).toBe(before)
    await handle('99', 'x')
    await waiting
  })

  it('given a position that never arrives, then the request waits two seconds, and the next request does not wait', async () => {
    const { waitForPosition, isDone, pass, sleeps } = setUp()
    const reached = waitForPosition(['08'], 'x')
    await pass(250)
    await pass(25)
    expect(await isDone(reached)).toBe(false)
    await pass(2000)
    await pass(25)
    await reached
    const before = sleeps.size
    await waitForPosition(['08'], 'x')
    expect(sleeps.size).toBe(before)
  })

  it('given a caller that disconnects, then the wait ends', async () => {
    const { followed } = setUp()
    const leaving = new AbortController()
    const reached = followed.waitForPosition({
      tenant: 't',
      seen: ['08'],
      signal: leaving.signal,
    })
    leaving.abort()
    await reached
    void followed.follow('t', '01', none)
  })
})
