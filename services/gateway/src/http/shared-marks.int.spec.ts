import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSqliteDocuments } from '@assay/documents/sqlite'
import { createLogger, type Identity } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { systemTimers } from '@assay/service-kit/node'
import { openDatabase } from '@assay/sqlite'
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { gatewayCollections } from '../service.ts'
import { createPatience } from './patience.ts'
import { type AskedPage, askedPage, createSharedMarks } from './shared-marks.ts'

const folder = mkdtempSync(join(tmpdir(), 'assay-marks-'))
const database = openDatabase({ path: join(folder, 'gateway.db'), synchronous: 'NORMAL' })
const documents = createSqliteDocuments({ database, collections: gatewayCollections })
const clock = { time: 1_000_000, now: () => clock.time }
const logger = createLogger({ level: 'silent' })
let isAlone = false
const gateway = (of: Pick<typeof documents, 'get' | 'put'> = documents) =>
  createSharedMarks({
    documents: of,
    others: { isAlone: () => isAlone },
    patience: createPatience({ clock, timers: systemTimers, logger }),
    clock,
  })
const identity: Identity = { tenant: 't', user: 'u', accessKey: 'k', permissions: new Set() }

function page(query: string, who = identity, path = '/rules'): AskedPage {
  const asked = askedPage(who, path, query)
  if (asked === undefined) throw new Error('This is no page.')
  return asked
}

beforeEach(() => {
  isAlone = false
})
afterAll(async () => {
  await documents.close()
  await database.close()
  rmSync(folder, { recursive: true })
})

describe('given a first page that one gateway was answered', () => {
  test('when a later page is asked of another, then it is of that moment; and of no other listing, path or key', async () => {
    await gateway().remember(page('size=5&name=a'), 'm1')
    expect(await gateway().of(page('page=1&name=a&size=5'))).toBe('m1')
    for (const other of [
      page('page=1&size=5'),
      page('page=1&size=5&name=a', { ...identity, accessKey: 'l' }),
      page('page=1&size=5&name=a', { ...identity, tenant: 'o' }),
      page('page=1&size=5&name=a', identity, '/tags'),
    ])
      expect(await gateway().of(other)).toBeUndefined()
  })

  test('when another gateway reads it again, then later pages are of the newer moment, for ten minutes', async () => {
    clock.time += 1
    await gateway().remember(page('page=0&size=5&name=a'), 'm2')
    expect(await gateway().of(page('page=2&size=5&name=a'))).toBe('m2')
    clock.time += 600_000
    expect(await gateway().of(page('page=2&size=5&name=a'))).toBeUndefined()
  })
})

test.each([
  ['', true],
  ['page=0', true],
  ['first=0&max=5', true],
  ['page=3', false],
  ['first=25', false],
])('given the query %j, when its place is looked for, then whether it is the first is %s', (query, isFirst) => {
  expect(askedPage(identity, '/rules', query)?.isFirst).toBe(isFirst)
})

test.each(['page=1&asOf=m', 'page=-1', 'page=x', 'page=1&page=2'])(
  'given the query %j, then no moment is kept for it',
  (query) => {
    expect(askedPage(identity, '/rules', query)).toBeUndefined()
  },
)

test('given a store that does not answer, when a page is asked for, then it is answered without', async () => {
  const away = () => Promise.reject(new AssayError('unavailable', 'Away.'))
  const alone = gateway({ ...documents, get: away, put: away })
  await alone.remember(page('size=5'), 'm')
  expect(await alone.of(page('page=1&size=5'))).toBeUndefined()
})

test('given the only gateway, when pages are turned, then the store is asked once at most; once there are others, always', async () => {
  isAlone = true
  const asked = vi.fn()
  const one = gateway({
    put: documents.put,
    get(...of) {
      asked()
      return documents.get(...of)
    },
  })
  const [first, later, unknown] = [page('size=9'), page('page=1&size=9'), page('page=1&size=8')]
  await one.remember(first, 'm1')
  expect([await one.of(later), await one.of(later)]).toEqual(['m1', 'm1'])
  expect(asked).not.toHaveBeenCalled()
  expect([await one.of(unknown), await one.of(unknown)]).toEqual([undefined, undefined])
  expect(asked).toHaveBeenCalledOnce()
  isAlone = false
  clock.time += 1
  await gateway().remember(first, 'm2')
  expect(await one.of(later)).toBe('m2')
  isAlone = true
  expect(await one.of(later)).toBe('m2')
})
