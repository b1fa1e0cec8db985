import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ServiceName } from '@assay/contracts'
import { createSqliteDocuments } from '@assay/documents/sqlite'
import { createLogger } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { systemTimers } from '@assay/service-kit/node'
import { openDatabase } from '@assay/sqlite'
import { afterAll, describe, expect, test } from 'vitest'
import { gatewayCollections } from '../service.ts'
import { createSharedWrites, mergedPositions, type Wrote } from './shared-writes.ts'

const folder = mkdtempSync(join(tmpdir(), 'assay-writes-'))
const database = openDatabase({ path: join(folder, 'gateway.db'), synchronous: 'NORMAL' })
const documents = createSqliteDocuments({ database, collections: gatewayCollections })
const clock = { time: 1_000_000, now: () => clock.time }
const logger = createLogger({ level: 'silent' })
const gateway = (of: typeof documents = documents) =>
  createSharedWrites({ documents: of, clock, timers: systemTimers, logger })

const wrote = (service: ServiceName, position: string, written = [position]): Wrote => ({
  positions: new Map([[service, [position]]]),
  written: new Map([[service, written]]),
})

afterAll(async () => {
  await documents.close()
  await database.close()
  rmSync(folder, { recursive: true })
})

describe('given two gateways of one Assay', () => {
  test('when a key writes through one, then the other knows it at once, and of that key alone', async () => {
    const [one, other] = [gateway(), gateway()]
    await one.share('first', wrote('policy', '0007', ['0006', '0007']))
    clock.time += 1
    await other.share('first', wrote('catalog', '0009'))
    clock.time += 1
    await one.share('first', wrote('policy', '0011'))
    expect(await other.of('first')).toEqual({
      positions: new Map([
        ['policy', ['0007', '0011']],
        ['catalog', ['0009']],
      ]),
      written: new Map([
        ['policy', ['0006', '0007', '0011']],
        ['catalog', ['0009']],
      ]),
    })
    expect((await other.of('second')).positions.size).toBe(0)
  })

  test('when ten seconds have passed, then it is forgotten', async () => {
    await gateway().share('late', wrote('policy', '0001'))
    clock.time += 10_000
    expect((await gateway().of('late')).positions.size).toBe(0)
  })

  test('when a key writes more than is kept of it, then the latest is known', async () => {
    const [one, other] = [gateway(), gateway()]
    for (let each = 100; each < 200; each++) {
      clock.time += 1
      await one.share('busy', wrote('policy', `0${each}`))
    }
    const { positions } = await other.of('busy')
    expect(positions.get('policy')?.at(-1)).toBe('0199')
    expect(positions.get('policy')?.length).toBeLessThanOrEqual(32)
  })
})

describe('given a store that does not answer', () => {
  test('when something was written or is to be read, then both go on without it', async () => {
    const away = () => Promise.reject(new AssayError('unavailable', 'Away.'))
    const never = () => new Promise<never>(() => undefined)
    for (const answer of [away, never]) {
      const alone = gateway({ ...documents, get: answer, put: answer })
      await alone.share('away', wrote('policy', '0001'))
      expect(await alone.of('away')).toEqual({ positions: new Map(), written: new Map() })
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
