import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSqliteDocuments } from '@assay/documents/sqlite'
import { createLogger } from '@assay/service-kit'
import { uuidV7 } from '@assay/service-kit/node'
import { openDatabase } from '@assay/sqlite'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { gatewayCollections } from '../service.ts'
import { createOtherGateways } from './other-gateways.ts'

const clock = { time: 0, now: () => clock.time }
const sleep = vi.fn<(milliseconds: number) => Promise<void>>()
let folder: string
let database: ReturnType<typeof openDatabase>
let documents: ReturnType<typeof createSqliteDocuments>

/** Its beats come when the test says. */
function gateway() {
  let tick = () => {}
  const others = createOtherGateways({
    documents,
    clock,
    timers: {
      sleep,
      every(_milliseconds, work) {
        tick = work
        return { stop: () => undefined }
      },
    },
    newId: uuidV7,
    logger: createLogger({ level: 'silent' }),
  })
  const beaten = vi.fn()
  return {
    others: { ...others, start: () => others.start(beaten) },
    own: () => others.own,
    /** The next beat, until it is over. */
    async beat() {
      beaten.mockClear()
      tick()
      await vi.waitFor(() => expect(beaten).toHaveBeenCalled(), { timeout: 20_000, interval: 2 })
    },
  }
}

beforeEach(() => {
  clock.time = 1_000_000_000
  sleep.mockReset().mockResolvedValue()
  folder = mkdtempSync(join(tmpdir(), 'assay-beats-'))
  database = openDatabase({ path: join(folder, 'gateway.db'), synchronous: 'NORMAL' })
  documents = createSqliteDocuments({ database, collections: gatewayCollections })
})
afterEach(async () => {
  await documents.close()
  await database.close()
  rmSync(folder, { recursive: true })
})

test('given one gateway, when it starts, then it is alone, for as long as it has looked within two seconds', async () => {
  const { others, own } = gateway()
  expect(others.isAlone()).toBe(false)
  await others.start()
  expect([others.isAlone(), others.numbers()]).toEqual([true, []])
  clock.time += 2_000
  expect([others.isAlone(), others.numbers().length]).toEqual([false, 31])
  expect(others.numbers()).not.toContain(own())
})

test('given a gateway, when another starts, then each knows the other, and what it writes waits until it is known', async () => {
  const [one, two] = [gateway(), gateway()]
  await one.others.start()
  await two.others.start()
  expect([two.others.isAlone(), two.others.numbers()]).toEqual([false, [one.own()]])
  expect(one.own()).not.toBe(two.own())
  await two.others.known()
  expect(sleep).toHaveBeenCalledExactlyOnceWith(2_000)
  clock.time += 2_000
  // It has not looked since: it looks at all.
  expect(one.others.numbers()).toContain(two.own())
  await two.others.known()
  expect(sleep).toHaveBeenCalledOnce()
})

test('given a gateway that ended, when minutes have passed, then the other is alone again', async () => {
  await gateway().others.start()
  const left = gateway()
  await left.others.start()
  expect(left.others.isAlone()).toBe(false)
  clock.time += 300_001
  const later = gateway()
  await later.others.start()
  expect(later.others.isAlone()).toBe(true)
})

test('given a gateway that is stopped, when what it told is no longer kept, then the other is alone', async () => {
  const [one, two] = [gateway(), gateway()]
  await one.others.start()
  await one.others.stop()
  clock.time += 14_999
  await two.others.start()
  expect(two.others.numbers()).toEqual([one.own()])
  clock.time += 1
  await two.beat()
  expect(two.others.isAlone()).toBe(true)
})

test('given as many starts as there are numbers, when more follow, then each still has one', async () => {
  const all = Array.from({ length: 40 }, gateway)
  for (const { others } of all) {
    clock.time += 1
    await others.start()
  }
  expect(new Set(all.slice(0, 32).map(({ own }) => own())).size).toBe(32)
  expect(all.every(({ own }) => own() >= 0 && own() < 32)).toBe(true)
})

test('given a store that was away for long, when it is back, then nobody believes at once to be alone', async () => {
  const { others, beat } = gateway()
  await others.start()
  clock.time += 60_001
  await beat()
  expect(others.isAlone()).toBe(false)
  clock.time += 3_000
  await beat()
  expect(others.isAlone()).toBe(true)
})
