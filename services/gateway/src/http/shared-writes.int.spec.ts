import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ServiceName } from '@assay/contracts'
import { createSqliteDocuments } from '@assay/documents/sqlite'
import { createLogger } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { systemTimers } from '@assay/service-kit/node'
import { openDatabase } from '@assay/sqlite'
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { gatewayCollections } from '../service.ts'
import { createPatience } from './patience.ts'
import { createSharedWrites, mergedPositions, type Wrote } from './shared-writes.ts'

const folder = mkdtempSync(join(tmpdir(), 'assay-writes-'))
const database = openDatabase({ path: join(folder, 'gateway.db'), synchronous: 'NORMAL' })
const documents = createSqliteDocuments({ database, collections: gatewayCollections })
const clock = { time: 1_000_000, now: () => clock.time }
const logger = createLogger({ level: 'silent' })
/** There is none besides those of a test. */
let isAlone = false
const known = vi.fn<() => Promise<void>>()

function gateway(own: number, of: Pick<typeof documents, 'get' | 'put'> = documents) {
  const others = { own, isAlone: () => isAlone, numbers: () => [1, 2, 3].filter((each) => each !== own), known }
  const patience = createPatience({ clock, timers: systemTimers, logger })
  return createSharedWrites({ documents: of, others, patience, clock })
}

/** The store, with what is asked of it. */
function counting() {
  const asked = vi.fn()
  const put = vi.fn(documents.put)
  const counted: Pick<typeof documents, 'get' | 'put'> = {
    put,
    get(...of) {
      asked()
      return documents.get(...of)
    },
  }
  return { asked, put, counted }
}

beforeEach(() => {
  isAlone = false
  known.mockReset().mockResolvedValue()
})

const wrote = (service: ServiceName, position: string, written = [position]): Wrote => ({
  positions: new Map([[service, [position]]]),
  written: new Map([[service, written]]),
})

const none: Wrote = { positions: new Map(), written: new Map() }

afterAll(async () => {
  await documents.close()
  await database.close()
  rmSync(folder, { recursive: true })
})

describe('given gateways of one Assay', () => {
  test('when a key writes through two, then a third knows it at once, and of that key alone', async () => {
    const [one, two, three] = [gateway(1), gateway(2), gateway(3)]
    await one.share('first', wrote('policy', '0007', ['0006', '0007']))
    clock.time += 1
    await two.share('first', wrote('catalog', '0009'))
    clock.time += 1
    await one.share('first', wrote('policy', '0011'))
    expect(await three.of('first')).toEqual({
      positions: new Map([
        ['policy', ['0007', '0011']],
        ['catalog', ['0009']],
      ]),
      written: new Map([
        ['policy', ['0006', '0007', '0011']],
        ['catalog', ['0009']],
      ]),
    })
    expect(await three.of('second')).toEqual(none)
  })

  test('when writes of one key end at one moment, then none of them is lost', async () => {
    const one = gateway(1)
    const numbers = Array.from({ length: 20 }, (_, number) => `1${number}`.padStart(4, '0'))
    await Promise.all(numbers.map((number) => one.share('many', wrote('policy', number))))
    expect((await gateway(2).of('many'))?.written.get('policy')).toEqual(numbers)
  })

  test('when ten seconds have passed, then it is forgotten', async () => {
    await gateway(1).share('late', wrote('policy', '0001'))
    clock.time += 10_000
    expect(await gateway(2).of('late')).toEqual(none)
  })

  test('when a key writes more than is kept of it, then the latest is known', async () => {
    const one = gateway(1)
    for (let each = 100; each < 200; each++) {
      clock.time += 1
      await one.share('busy', wrote('policy', `0${each}`))
    }
    const found = (await gateway(2).of('busy'))?.positions.get('policy')
    expect([found?.at(-1), found?.length]).toEqual(['0199', 32])
  })

  test('when they have not all learnt of the one that was written through, then its answer waits', async () => {
    const learnt = Promise.withResolvers<void>()
    known.mockReturnValueOnce(learnt.promise)
    const answered = vi.fn()
    const sharing = gateway(1).share('new', wrote('policy', '0001'))?.then(answered)
    await vi.waitFor(async () => expect((await gateway(2).of('new'))?.positions.size).toBe(1), { timeout: 10_000 })
    expect(answered).not.toHaveBeenCalled()
    learnt.resolve()
    await sharing
  })
})

test('given the only gateway, when a key writes, then nothing is stored, and told once there is another', async () => {
  isAlone = true
  const { asked, put, counted } = counting()
  const one = gateway(1, counted)
  expect([one.share('alone', wrote('policy', '0001')), one.of('alone')]).toEqual([undefined, undefined])
  one.tellAgain()
  expect([asked.mock.calls.length, put.mock.calls.length]).toEqual([0, 0])
  isAlone = false
  one.tellAgain()
  await vi.waitFor(async () => expect((await gateway(2).of('alone'))?.positions.size).toBe(1), { timeout: 10_000 })
  one.tellAgain()
  expect(put).toHaveBeenCalledOnce()
})

describe('given a store that does not answer', () => {
  test('when something was written or is to be read, then both go on without it, and it is told once it answers', async () => {
    const away = () => Promise.reject(new AssayError('unavailable', 'Away.'))
    const never = () => new Promise<never>(() => undefined)
    for (const [key, answer] of [
      ['away', away],
      ['silent', never],
    ] as const) {
      const { asked, put, counted } = counting()
      put.mockImplementationOnce(answer)
      const one = gateway(1, counted)
      await one.share(key, wrote('policy', '0001'))
      // It is spared.
      expect(await one.of(key)).toEqual(none)
      expect(asked).not.toHaveBeenCalled()
      if (answer === never) continue
      clock.time += 1_000
      one.tellAgain()
      await vi.waitFor(async () => expect((await gateway(2).of(key))?.positions.size).toBe(1), { timeout: 10_000 })
    }
  })
})

test('given positions of a request and of other gateways, when they are joined, then each stands once', () => {
  const own = new Map([['policy', ['2', '3']] as const])
  expect(mergedPositions(new Map([['policy', ['1', '2']] as const]), own)).toEqual(
    new Map([['policy', ['1', '2', '3']]]),
  )
  expect(mergedPositions(new Map(), own)).toBe(own)
})
