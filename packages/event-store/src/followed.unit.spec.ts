import { type Documents, defineCollection } from '@assay/documents'
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
/** Sleeps until it is told to end. */
function setUp(stored: Copy[] = []) {
  let slept = 0
  const find = (async () => ({ documents: stored, count: stored.length })) as unknown as Documents['find']
  const followed = createFollowed({
    documents: { find },
    collection: copies,
    timers: {
      sleep: async (milliseconds, signal) => {
        if (signal?.aborted) return
        slept = milliseconds
        await new Promise((resolve) => signal?.addEventListener('abort', resolve))
      },
    },
  })
  return { followed, slept: () => slept }
}

describe('following another log', () => {
  it('given nothing was seen, then nobody waits', async () => {
    const { followed, slept } = setUp()
    await followed.reach('t', undefined, never)
    expect(slept()).toBe(0)
  })
  it('given a position that was reached, then nobody waits', async () => {
    const { followed, slept } = setUp()
    await followed.follow('t', '05', none)
    await followed.reach('t', '05', never)
    expect(slept()).toBe(0)
  })
  it('given a copy from before the restart that is as new, then nobody waits', async () => {
    const { followed, slept } = setUp([{ position: '07' }])
    await followed.reach('t', '06', never)
    expect(slept()).toBe(0)
  })
  it('given it is behind, then the wait ends when it has come that far, and not before', async () => {
    const { followed, slept } = setUp()
    let isReached = false
    const reached = followed.reach('t', '08', never).then(() => {
      isReached = true
    })
    await followed.follow('other', '09', none)
    await followed.follow('t', '07', none)
    expect([isReached, slept()]).toEqual([false, 2000])
    await followed.follow('t', '08', none)
    await reached
  })
  it('given a later message overtakes it, then the wait goes on until it is done', async () => {
    const { followed } = setUp()
    const { promise: work, resolve: finish } = Promise.withResolvers<void>()
    const slow = followed.follow('t', '08', () => work)
    let isReached = false
    const reached = followed.reach('t', '08', never).then(() => {
      isReached = true
    })
    await followed.follow('t', '09', none)
    await new Promise((resolve) => setImmediate(resolve))
    expect(isReached).toBe(false)
    finish()
    await Promise.all([slow, reached])
  })
  it('given a message failed and a later one was done, then it is not reached before the first has come again', async () => {
    const { followed } = setUp()
    await expect(followed.follow('t', '08', () => Promise.reject(new Error('full')))).rejects.toThrow('full')
    await followed.follow('t', '09', none)
    let isReached = false
    const reached = followed.reach('t', '08', never).then(() => {
      isReached = true
    })
    await new Promise((resolve) => setImmediate(resolve))
    expect(isReached).toBe(false)
    await followed.follow('t', '08', none)
    await reached
  })
})
