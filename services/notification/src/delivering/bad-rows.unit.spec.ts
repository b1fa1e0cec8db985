import type { BadRows, FirstBadRows } from '@assay/hosting/ports'
import { silent } from '@assay/hosting/testing'
import { AssayError } from '@assay/service-kit/errors'
import { describe, expect, it } from 'vitest'
import { createBadRowsInMessages } from './bad-rows.ts'

const found: BadRows = { item: 'has a name', count: 1, columns: ['id'], rows: [['seven']] }
const body = JSON.stringify({ blocks: [{ type: 'context' }] })
const channel = { owner: 'ann', type: 'SLACK' as const }

/** The messages of a service whose answer a test sets; `late` passes the deadline of what is asked. */
function open(answer: FirstBadRows | undefined, holds = true) {
  const world = { now: 0, asked: 0, answer, warnings: 0, late: () => {} }
  const complete = createBadRowsInMessages({
    firstBadRows:
      answer &&
      ((asked) => {
        world.asked += 1
        return world.answer?.(asked) ?? Promise.resolve(undefined)
      }),
    holds: async () => holds,
    clock: { now: () => world.now },
    timers: {
      sleep: (_, signal) =>
        new Promise((resolve) => {
          world.late = resolve
          signal?.addEventListener('abort', () => resolve())
        }),
    },
    logger: { ...silent, warn: () => (world.warnings += 1) },
  })
  const message = (badRowsOf: number | undefined = 3, tenant = 'default') =>
    complete(tenant, channel, { body, ...(badRowsOf === undefined ? {} : { badRowsOf }) })
  return { world, complete, message }
}

describe('bad rows at an attempt', () => {
  it('given a run with bad rows, then the message has them', async () => {
    const { message } = open(async () => found)
    expect(await message()).toContain('seven')
  })

  it.each<[string, ReturnType<typeof open>]>([
    ['the run has none', open(async () => undefined)],
    ['messages show none', open(undefined)],
    ['the owner may not read them', open(async () => found, false)],
  ])('given that %s, then the message is the stored one', async (_, { message }) => {
    expect(await message()).toBe(body)
  })

  it('given a message that is about no run, then nobody is asked', async () => {
    const { world, complete } = open(async () => found)
    expect(await complete('default', channel, { body })).toBe(body)
    expect(world.asked).toBe(0)
  })

  it('given many messages about a run, then it is asked once, again a second later, and for each tenant', async () => {
    const { world, message } = open(async () => found)
    await Promise.all([message(), message(), message()])
    expect(world.asked).toBe(1)
    await message(3, 'other')
    expect(world.asked).toBe(2)
    world.now = 1_000
    await message()
    expect(world.asked).toBe(3)
  })

  it('given no answer for a run, then its messages go without rows, and after several runs, all messages', async () => {
    const { world, message } = open(() => new Promise(() => undefined))
    for (const run of [1, 2, 3]) {
      const waiting = message(run)
      await expect.poll(() => world.asked).toBe(run)
      world.late()
      expect(await waiting).toBe(body)
      expect(await message(run)).toBe(body)
    }
    expect(await message(4)).toBe(body)
    expect(world.asked).toBe(3)
    world.now = 10_000
    world.answer = async () => found
    expect(await message(4)).toContain('seven')
  })

  it('given a run that takes too long, then messages about other runs have their rows', async () => {
    const { world, message } = open(() => new Promise(() => undefined))
    const waiting = message(1)
    await expect.poll(() => world.asked).toBe(1)
    world.late()
    await waiting
    world.answer = async () => found
    expect([await message(1), await message(2)]).toEqual([body, expect.stringContaining('seven')])
  })

  it('given an error, then the message goes without rows, and says nothing about them', async () => {
    const { message } = open(() => Promise.reject(new AssayError('unavailable', 'Gone.')))
    expect(await message()).toBe(body)
  })
})
