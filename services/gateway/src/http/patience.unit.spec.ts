import { createLogger } from '@assay/service-kit'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { createPatience, type Patience } from './patience.ts'

const clock = { time: 0, now: () => clock.time }
/** Ends the waiting. */
let giveUp: () => void
let patience: Patience
const never = () => new Promise<never>(() => undefined)
const fails = () => Promise.reject(new Error('Away.'))
const works = vi.fn(async () => 'found')

beforeEach(() => {
  works.mockClear()
  clock.time = 1_000_000
  patience = createPatience({
    clock,
    timers: {
      sleep: () =>
        new Promise((resolve) => {
          giveUp = resolve
        }),
    },
    logger: createLogger({ level: 'silent' }),
  })
})

describe.each([
  ['fails', fails],
  ['does not answer', never],
])('given a store that %s', (_how, work) => {
  test('when others come, then they do not wait; after a second one asks for all, and once it answers all do', async () => {
    const first = patience.within(work)
    giveUp()
    expect(await first).toBeUndefined()
    expect(await patience.within(works)).toBeUndefined()
    clock.time += 999
    expect(await patience.within(works)).toBeUndefined()
    expect(works).not.toHaveBeenCalled()
    clock.time += 1
    const trial = patience.within(() => never().then(() => ''))
    expect(await patience.within(works)).toBeUndefined()
    giveUp()
    expect(await trial).toBeUndefined()
    clock.time += 1_000
    expect(await patience.within(works)).toBe('found')
    expect(await patience.within(works)).toBe('found')
  })
})
