import { type Documents, defineCollection, type Query } from '@assay/documents'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createFollowed } from './followed.ts'

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

/** Copies by name, and sleeps that end when they are told to. */
function setUp(stored: Record<string, string> = {}) {
  const there = new Map(Object.entries(stored))
  const sleeps = new Set<Sleep>()
  const find = (async (_collection: unknown, _tenant: string, { where = [] }: Query) => {
    const wanted = where[0] && 'is' in where[0] ? where[0].is : undefined
    const documents = [...there.values()].filter((position) => position === wanted).map((position) => ({ position }))
    return { documents, count: documents.length }
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
  const followed = createFollowed({ documents: { find }, collection: copies, timers: { sleep } })
  /** A message is handled by this process. */
  const handle = (position: string, name?: string, tenant = 't') =>
    followed.follow(tenant, position, async () => {
      if (name !== undefined) there.set(name, position)
    })
  const reach = (seen: readonly string[] | undefined, name: string) =>
    followed.reach({ tenant: 't', seen, look: async () => there.get(name), signal: never })
  const turns = async () => {
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
  }
  /** Whether `work` is done once all else has come to rest. */
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
  return { there, followed, handle, reach, isDone, pass, sleeps }
}

describe('waiting for what a caller has seen', () => {
  it('given nothing was seen, then nobody waits', async () => {
    const { reach, sleeps } = setUp()
    await reach(undefined, 'x')
    await reach([], 'x')
    expect(sleeps.size).toBe(0)
  })

  it('given the copy at hand is as new, then nobody waits, wherever the others are', async () => {
    const { reach, sleeps } = setUp({ x: '07' })
    await reach(['06', '07'], 'x')
    expect(sleeps.size).toBe(0)
  })

  it('given it is surely told, when later ones have come, then it is waited for all the same, up to a bound', async () => {
    const { there, followed, handle, isDone, pass } = setUp()
    const wait = () =>
      followed.reach({ tenant: 't', seen: ['07'], isTold: true, look: async () => undefined, signal: never })
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

  it('given it was another copy that was seen, and that one is there, then nobody waits', async () => {
    const { reach, sleeps } = setUp({ x: '03', y: '07' })
    await reach(['07', '02'], 'x')
    expect(sleeps.size).toBe(0)
  })

  it('given it is behind, then the wait ends when it is handled here', async () => {
    const { reach, handle, isDone } = setUp({ x: '03' })
    const reached = reach(['08'], 'x')
    await handle('09', 'z', 'other')
    await handle('07', 'z')
    expect(await isDone(reached)).toBe(false)
    await handle('08', 'x')
    await reached
  })

  it('given another replica handles it, then the wait ends when the copy is there', async () => {
    const { reach, there, isDone, pass } = setUp({ x: '03' })
    const reached = reach(['08'], 'x')
    expect(await isDone(reached)).toBe(false)
    there.set('x', '08')
    await pass(25)
    await reached
  })

  it('given two were seen and the later has overtaken the earlier, as in partitions or behind its key, then the earlier is waited for', async () => {
    const { reach, handle, isDone, pass } = setUp({ x: '03' })
    const reached = reach(['07', '08'], 'x')
    await handle('08', 'y')
    await pass(25)
    expect(await isDone(reached)).toBe(false)
    await handle('07', 'x')
    await reached
  })

  it('given no message tells of it and later ones have come, then a quarter of a second is enough', async () => {
    const { reach, handle, isDone, pass } = setUp()
    await handle('09', 'y')
    const reached = reach(['08'], 'x')
    expect(await isDone(reached)).toBe(false)
    await pass(250)
    await pass(25)
    await reached
  })

  it('given an earlier message is under way or has failed, then a quarter of a second is not enough', async () => {
    const { reach, followed, handle, isDone, pass } = setUp()
    await expect(followed.follow('t', '08', () => Promise.reject(new Error('full')))).rejects.toThrow('full')
    await handle('09', 'y')
    const reached = reach(['08'], 'x')
    await pass(250)
    await pass(25)
    expect(await isDone(reached)).toBe(false)
    await handle('08', 'x')
    await reached
  })

  it('given it was waited for in vain, then it took two seconds, and the next request does not wait', async () => {
    const { reach, isDone, pass, sleeps } = setUp()
    const reached = reach(['08'], 'x')
    await pass(250)
    await pass(25)
    expect(await isDone(reached)).toBe(false)
    await pass(2000)
    await pass(25)
    await reached
    const before = sleeps.size
    await reach(['08'], 'x')
    expect(sleeps.size).toBe(before)
  })

  it('when the caller leaves, then nobody waits any more', async () => {
    const { followed } = setUp()
    const leaving = new AbortController()
    const reached = followed.reach({ tenant: 't', seen: ['08'], look: async () => undefined, signal: leaving.signal })
    leaving.abort()
    await reached
    void followed.follow('t', '01', none)
  })
})
