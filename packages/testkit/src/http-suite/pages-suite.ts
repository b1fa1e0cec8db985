import { gatewayOperations, type Operation, operations, permissions, searchOperations } from '@assay/contracts'
import { beforeAll, describe, expect, test } from 'vitest'
import { addBelow } from './additions.ts'
import { createClient, type HttpClient } from './client.ts'
import { type Fixtures, makeFixtures, newUniqueName } from './fixtures.ts'
import { inBatches } from './in-batches.ts'
import { pathOf } from './requests.ts'
import type { Target } from './target.ts'

const asOfHeader = 'x-assay-as-of'

const shapeOf = ({ query }: Operation): Record<string, unknown> =>
  'shape' in query ? (query.shape as Record<string, unknown>) : {}

/**
 * Operations with pages, except those for the stored rows of a run, which never increase, and for the points of a policy,
 * whose pages are of runs.
 */
const listings = operations.filter((each) => {
  const shape = shapeOf(each)
  return 'asOf' in shape && !('category' in shape) && !('itemId' in shape)
})

/** Sort fields whose values never change, so that added rows do not move other rows. */
const stableFields = ['id', 'createdAt', 'name', 'uid', 'at', 'value', 'keyName', 'displayName', 'validTill', 'assetId']

/** The orders to test: the default, and each stable field with new rows first. */
function ordersOf(operation: Operation): string[] {
  const accepted = stableFields
    .map((field) => `sortBy=${field}:desc`)
    .filter((order) => operation.query.safeParse({ [order.slice(0, 6)]: order.slice(7) }).success)
  return ['sortBy' in shapeOf(operation) ? accepted : [], ''].flat()
}

const fixedQuery: Record<string, string> = { listUdfTemplates: 'isPaginated=true' }

/** The query for a page of a listing. Older operations count rows instead of pages. */
function query(operation: Operation, order: string, page: number, size: number): string {
  const paging = 'first' in shapeOf(operation) ? `first=${page * size}&max=${size}` : `page=${page}&size=${size}`
  return [paging, order, fixedQuery[operation.id] ?? ''].filter((part) => part !== '').join('&')
}

interface Page {
  rows: string[]
  count: number
  asOf: string | null
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** Identifies a row in its listing. */
function nameOf(row: unknown): string {
  if (!isObject(row)) return JSON.stringify(row)
  const named = [row.rule, row.execution, row.asset, row.tag, row].find((part) => isObject(part) && 'id' in part)
  if (isObject(named)) return JSON.stringify(named.id)
  // The rows of keys and assets also show the last use or job, which changes.
  return JSON.stringify(row.accessKey ?? row.assetId ?? row)
}

/** The rows and the count of an answer. Listings have them under different names. */
function pageIn(body: unknown): Omit<Page, 'asOf'> {
  if (!isObject(body)) throw new Error('A listing must answer an object.')
  const { data } = body
  const list = [...Object.values(body), ...(isObject(data) ? [data.assets] : [])].find(Array.isArray)
  const { count, total }: { count?: unknown; total?: unknown } = Object.assign({}, body, body.meta, body.metadata)
  const all = count ?? total
  if (list === undefined || typeof all !== 'number') throw new Error('A listing must have rows and their count.')
  return { rows: list.map(nameOf), count: all }
}

/** A listing in one order, with its first page. */
interface Begun {
  operation: Operation
  path: string
  order: string
  size: number
  first: Page
}

/**
 * Every listing of the table, in every stable order. Between the reads of the first page and of the other pages, a row
 * is added to each listing. No row may appear twice, and no original row may be missing. `areSpotChecks`: each listing
 * only in its default order and in one other, and with one size of its pages.
 */
export function pagesSuite(open: () => Promise<Target>, { areSpotChecks = false } = {}): void {
  const orders = (operation: Operation): string[] => {
    const all = ordersOf(operation)
    return areSpotChecks ? [...new Set([all[listings.indexOf(operation) % all.length] ?? '', ''])] : all
  }

  describe('pages, of every listing of the table', () => {
    let admin: HttpClient
    let client: HttpClient
    /** Another key of the same tenant, which has not read the first page. */
    let other: HttpClient
    let fixtures: Fixtures
    let begun: Begun[]
    /** Kinds of policies that can run. */
    let ran: string[]

    const readerOf = (operation: Operation) => (operation.id === gatewayOperations.listTenants.id ? admin : client)

    /** False for listings of runs of a kind that cannot run: they get no rows. */
    const canGrow = ({ path }: Operation): boolean => {
      const kind = /\/rules\/([a-z_-]+)\/.*executions$/.exec(path)?.[1]?.replace('_', '-')
      return kind === undefined || ran.includes(kind)
    }

    async function read(by: HttpClient, path: string, asked: string): Promise<Page> {
      const answer = await by.call('GET', `${path}?${asked}`)
      if (answer.status !== 200) throw new Error(`GET ${path}?${asked} -> ${answer.status} ${answer.text}`)
      return { ...pageIn(answer.json), asOf: answer.headers.get(asOfHeader) }
    }

    async function begin(operation: Operation, order: string): Promise<Begun> {
      const path = pathOf(operation, fixtures)
      const by = readerOf(operation)
      const { count } = await read(by, path, query(operation, order, 0, 500))
      // A page size that gives three or four pages, whatever the number of rows.
      const size = Math.max(1, Math.min(500, Math.ceil(count / 3)))
      return { operation, path, order, size, first: await read(by, path, query(operation, order, 0, size)) }
    }

    /** All pages of the snapshot of the first page. */
    async function allPages(by: HttpClient, { operation, path, order, size, first }: Begun): Promise<Page[]> {
      const pages = [first]
      // One page more than the snapshot has: the added rows must not appear there either.
      for (let page = 1; page <= Math.ceil(first.count / size); page += 1)
        pages.push(await read(by, path, `${query(operation, order, page, size)}&asOf=${first.asOf}`))
      return pages
    }

    function expectComplete({ first }: Begun, pages: readonly Page[]): void {
      const rows = pages.flatMap((page) => page.rows)
      expect(rows.filter((row, at) => rows.indexOf(row) !== at)).toEqual([])
      expect(rows).toHaveLength(first.count)
      expect(pages.map(({ count }) => count)).toEqual(pages.map(() => first.count))
    }

    beforeAll(async () => {
      const target = await open()
      admin = createClient(target, target.admin)
      const { accessKey, secretKey } = await admin.good('POST', gatewayOperations.createTenant.path, {
        name: newUniqueName(),
      })
      client = admin.as({ accessKey, secretKey })
      other = admin.as(await client.key(permissions))
      fixtures = await makeFixtures(client, target.sharedFolder)
      await addBelow(client, fixtures)
      const asked = listings.flatMap((operation) => orders(operation).map((order) => ({ operation, order })))
      begun = await inBatches(asked, ({ operation, order }) => begin(operation, order))
      // Otherwise its channel, which the fixtures disable, would get no deliveries.
      await client.good('PUT', `/catalog-server/api/notification-channels/${fixtures.channelId}`, { enabled: true })
      await makeFixtures(client, target.sharedFolder)
      ran = await addBelow(client, fixtures)
      await admin.good('POST', gatewayOperations.createTenant.path, { name: newUniqueName() })
    }, 600_000)

    test.each(listings.map((each): [string, Operation] => [each.id, each]))(
      'given rows added since the first page, when the other pages of %s are read, then no row appears twice and none is missing',
      async (_, operation) => {
        for (const each of begun.filter((one) => one.operation === operation)) {
          expect([each.order, each.first.asOf]).toEqual([each.order, expect.any(String)])
          // Any key of the tenant may use a snapshot token.
          const by = operation.id === gatewayOperations.listTenants.id ? admin : other
          expectComplete(each, await allPages(by, each))
          const now = await read(readerOf(operation), each.path, query(operation, each.order, 0, each.size))
          if (canGrow(operation)) expect(now.count).toBeGreaterThan(each.first.count)
        }
      },
      60_000,
    )

    test.each(listings.map((each): [string, Operation] => [each.id, each]))(
      'given pages beyond the end or with invalid sizes, when %s is called, then it answers no rows, or refuses the request',
      async (_, operation) => {
        const by = readerOf(operation)
        const path = pathOf(operation, fixtures)
        for (const size of areSpotChecks ? [25] : [0, 25, 500]) {
          const { count } = await read(by, path, query(operation, '', 0, size))
          const { rows, ...beyond } = await read(by, path, query(operation, '', size === 0 ? 0 : 999_999, size))
          expect([size, rows, beyond.count]).toEqual([size, [], count])
          if (canGrow(operation)) expect(count).toBeGreaterThan(0)
        }
        const refused = [query(operation, '', 0, 501), query(operation, '', 0, -1), query(operation, '', -2, 25)]
        for (const asked of refused)
          expect([asked, (await by.call('GET', `${path}?${asked}`)).status]).toEqual([asked, 400])
      },
      60_000,
    )

    test('given a search without a page, then it returns all assets in one page, at most the requested number, or only the count', async () => {
      const path = searchOperations.searchAssets.path
      const { count } = await read(client, path, 'page=0&size=1')
      expect(count).toBeGreaterThan(2)
      const most = Math.min(count, 1000)
      const cases: [string, number, { page: number; size: number }][] = [
        ['', most, { page: -1, size: 1000 }],
        ['page=-1', most, { page: -1, size: 1000 }],
        ['page=-1&size=2', most, { page: -1, size: 1000 }],
        ['size=2', 2, { page: -1, size: 2 }],
        ['size=0', 0, { page: -1, size: 0 }],
        ['page=-1&size=0', 0, { page: -1, size: 0 }],
        ['page=0', Math.min(count, 25), { page: 0, size: 25 }],
        ['page=1&size=1', 1, { page: 1, size: 1 }],
      ]
      for (const [asked, rows, meta] of cases) {
        const { json } = await client.call('GET', `${path}?${asked}`)
        expect([asked, json.data.assets.length, json.meta]).toMatchObject([asked, rows, { ...meta, count }])
      }
    })
  })
}
