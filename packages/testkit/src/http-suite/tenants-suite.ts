import { gatewayOperations, type Operation, operations } from '@assay/contracts'
import { beforeAll, describe, expect, test } from 'vitest'
import { createClient, type HttpClient } from './client.ts'
import { type Fixtures, makeFixtures, newMark } from './fixtures.ts'
import { inTurns } from './in-turns.ts'
import { bodyOf, fixturesIn, missingOf, namesAThing, pathOf } from './requests.ts'
import { settled } from './snapshot.ts'
import type { Target } from './target.ts'

/** What a listing counts in a tenant that has nothing but its administrator. */
const countsOfOwn: Record<string, number> = { listApiKeys: 1, listPersistenceConfigs: 1 }
/** Listings of what the tenant itself has done, which these tests add to. */
const grows = ['listAudit']

/** An answer with the ids that were asked for taken out of it. */
export function withoutIds(text: string, values: readonly string[]): string {
  return values.reduce((left, value) => {
    const sought = decodeURIComponent(value).replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    return left.replace(new RegExp(`(?<![\\w-])${sought}(?![\\w-])`, 'g'), '<id>')
  }, text)
}

const queryNames = (operation: Operation): string[] =>
  'shape' in operation.query ? Object.keys(operation.query.shape as object) : []

/** A second tenant, which must not be able to tell that the first one has anything. */
export function tenantsSuite(open: () => Promise<Target>): void {
  describe('tenants, of every operation of the table', () => {
    let first: HttpClient
    let second: HttpClient
    let fixtures: Fixtures
    let missing: Fixtures

    beforeAll(async () => {
      const target = await open()
      first = createClient(target, target.admin)
      fixtures = await makeFixtures(first, target.sharedFolder)
      missing = missingOf(fixtures)
      const { accessKey, secretKey } = await first.good('POST', gatewayOperations.createTenant.path, {
        name: newMark(),
      })
      second = first.as({ accessKey, secretKey })
    }, 300_000)

    const named = operations.filter(namesAThing)
    test.each(named.map((each): [string, Operation] => [each.id, each]))(
      "given ids of one tenant, when another one's key asks %s, then it is told what it is told of a missing id",
      async (_, operation) => {
        const { method } = operation
        const [mine, none] = [
          fixturesIn(operation).map((name) => fixtures[name] ?? ''),
          fixturesIn(operation).map((name) => missing[name] ?? ''),
        ]
        const body = bodyOf(operation, fixtures)
        const answer = await second.call(method, pathOf(operation, fixtures), body)
        const absent = await second.call(method, pathOf(operation, missing), body)
        expect([answer.status, withoutIds(answer.text, mine)]).toEqual([absent.status, withoutIds(absent.text, none)])
        expect(answer.text).not.toContain(fixtures.mark.concat('.'))
      },
      60_000,
    )

    const listings = operations.filter(
      ({ method, path, file, events }) => method === 'GET' && !path.includes('{') && !file && !events,
    )
    test.each(listings.map((each): [string, Operation] => [each.id, each]))(
      "given what one tenant has, when another one's key lists by %s, then nothing of it is shown or counted",
      async (_, operation) => {
        const ids = [fixtures.assetId, fixtures.assemblyId, fixtures['data-qualityId'], fixtures.executionId]
        const queries = queryNames(operation).flatMap((name) =>
          /id/i.test(name)
            ? ids.map((id) => `${name}=${id}`)
            : /name|uid|query/i.test(name)
              ? [`${name}=${fixtures.mark}`]
              : [],
        )
        for (const query of ['', ...queries]) {
          const answer = await second.call('GET', `${operation.path}?${query}`)
          expect(answer.text).not.toContain(fixtures.mark)
          const count = answer.status === 200 ? answer.json.meta?.count : undefined
          if (count !== undefined && !grows.includes(operation.id))
            expect([query, count]).toEqual([query, countsOfOwn[operation.id] ?? 0])
        }
      },
    )

    test('given all of these requests, when the first tenant looks, then nothing of it has changed', async () => {
      const before = await settled(first, fixtures, () => true)
      await inTurns(
        named.filter(({ method }) => method !== 'GET'),
        (operation) => second.call(operation.method, pathOf(operation, fixtures), bodyOf(operation, fixtures)),
      )
      expect(await settled(first, fixtures, () => true)).toEqual(before)
      expect((await first.call('GET', `/catalog-server/api/assets/${fixtures.assetId}`)).status).toBe(200)
    }, 300_000)
  })
}
