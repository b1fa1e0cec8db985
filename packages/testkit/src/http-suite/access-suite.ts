import {
  gatewayOperations,
  type Operation,
  operations,
  type Permission,
  permissions,
  unauthorisedBody,
} from '@assay/contracts'
import { beforeAll, describe, expect, test } from 'vitest'
import { badBodiesOf } from './bad-bodies.ts'
import { createClient, type HttpClient } from './client.ts'
import { type Fixtures, newUniqueName, sharedFixtures } from './fixtures.ts'
import { inBatches } from './in-batches.ts'
import { bodyOf, fixturesIn, missingOf, namesAThing, pathOf } from './requests.ts'
import { settled } from './snapshot.ts'
import { type SpotChecks, spotChecked } from './spot-checks.ts'
import type { Target } from './target.ts'

/** Counts of listings in a tenant with only its administrator. */
const countsOfOwn: Record<string, number> = { listApiKeys: 1, listPersistenceConfigs: 1 }
/** Listings that get rows from these tests. */
const growing = ['listAudit']
/** Listings that only the first tenant's administrator may read. */
const refusedToOthers = ['listTenants']

/** A permission that few operations require, so a key with only this permission may call almost none. */
const leastPermission: Permission = 'AUDIT_VIEW'

interface Caller {
  readonly name: string
  readonly lacks: (permission: Permission) => boolean
  readonly client: HttpClient
}

/**
 * Access to every operation of the table: without a key, with keys that lack one required permission, with a key that has
 * almost no permission, with a key that has exactly the required ones, and with a key of another tenant (by ids and by
 * filters). A refused request changes nothing.
 */
export function accessSuite(open: () => Promise<Target>, of?: SpotChecks): void {
  describe('access, of every operation of the table', () => {
    const lacking = new Map<Permission, Caller>()
    const exactly = new Map<string, HttpClient>()
    let admin: HttpClient
    let nobody: HttpClient
    let least: Caller
    /** The administrator of another tenant, which is empty. */
    let stranger: HttpClient
    let fixtures: Fixtures
    let missing: Fixtures
    let before: Record<string, string>

    beforeAll(async () => {
      const target = await open()
      admin = createClient(target, target.admin)
      nobody = admin.as({ accessKey: '', secretKey: '' })
      fixtures = await sharedFixtures(admin, target)
      missing = missingOf(fixtures)
      stranger = admin.as(await admin.good('POST', gatewayOperations.createTenant.path, { name: newUniqueName() }))
      least = {
        name: `only ${leastPermission}`,
        lacks: (each) => each !== leastPermission,
        client: admin.as(await admin.key([leastPermission])),
      }
      for (const permission of new Set(operations.flatMap((each) => each.permissions))) {
        const key = await admin.key(permissions.filter((each) => each !== permission))
        const lacks = (each: Permission) => each === permission
        lacking.set(permission, { name: `all but ${permission}`, lacks, client: admin.as(key) })
      }
      for (const { permissions: taken } of operations)
        if (taken.length > 0 && !exactly.has(taken.join())) exactly.set(taken.join(), admin.as(await admin.key(taken)))
      before = await settled(admin, fixtures, () => true)
    }, 300_000)

    const ask = (client: HttpClient, operation: Operation, of: Fixtures, body = bodyOf(operation, of)) =>
      client.call(operation.method, pathOf(operation, of), body)

    /** The same request for a thing that does not exist, with an invalid body. */
    const askBadly = (client: HttpClient, operation: Operation) =>
      ask(client, operation, missing, operation.method === 'GET' ? undefined : '{"broken')

    /**
     * A caller without permission gets the same refusal whether the thing exists or not, and whatever else is wrong with
     * the request.
     */
    async function expectDenied(operation: Operation, { name, lacks, client }: Caller): Promise<void> {
      const answer = await ask(client, operation, fixtures)
      for (const { status, text } of [await ask(client, operation, missing), await askBadly(client, operation)])
        expect([name, status, text]).toEqual([name, answer.status, answer.text])
      if (operation.denied === undefined) {
        expect([name, answer.status]).toEqual([name, 403])
        const named = operation.permissions.filter((each) => new RegExp(`\\b${each}\\b`).test(answer.text))
        expect([name, named]).toEqual([name, operation.permissions.filter(lacks)])
        return
      }
      const absent = await ask(admin, operation, missing)
      expect([name, answer.status, answer.text]).toEqual([name, absent.status, absent.text])
    }

    /** For the other tenant, ids of the first tenant are unknown. */
    async function expectUnknown(operation: Operation): Promise<void> {
      // Looks for ids of both tenants, because a text may contain a number by chance, such as "at most 64 characters".
      const ids = [fixtures, missing].flatMap((of) => fixturesIn(operation).map((name) => of[name] ?? ''))
      const bodies = [{ title: 'good', value: bodyOf(operation, fixtures) }, ...badBodiesOf(operation, missing, 4)]
      await inBatches(bodies, async ({ title, value }) => {
        const foreign = await ask(stranger, operation, fixtures, value)
        const absent = await ask(stranger, operation, missing, value)
        expect([title, foreign.status, withoutIds(foreign.text, ids)]).toEqual([
          title,
          absent.status,
          withoutIds(absent.text, ids),
        ])
        expect(foreign.text).not.toContain(`${fixtures.uniqueName}.`)
        if (title === 'good') expect(foreign.status).toBeGreaterThanOrEqual(400)
      })
    }

    /** Checks that listings of the other tenant show nothing of the first tenant, whatever the filter. */
    async function expectUnlisted(operation: Operation): Promise<void> {
      const ids = [fixtures.assetId, fixtures.assemblyId, fixtures['data-qualityId'], fixtures.executionId]
      const names = 'shape' in operation.query ? Object.keys(operation.query.shape as object) : []
      const queries = names.flatMap((name) =>
        /id/i.test(name)
          ? ids.map((id) => `${name}=${id}`)
          : /name|uid|query/i.test(name)
            ? [`${name}=${fixtures.uniqueName}`]
            : [],
      )
      for (const query of ['', ...queries]) {
        const answer = await stranger.call('GET', `${operation.path}?${query}`)
        if (query === '')
          expect([answer.status, answer.text]).toEqual([
            refusedToOthers.includes(operation.id) ? 403 : 200,
            answer.text,
          ])
        expect(answer.text).not.toContain(fixtures.uniqueName)
        const count = answer.status === 200 ? answer.json.meta?.count : undefined
        if (count !== undefined && !growing.includes(operation.id))
          expect([query, count]).toEqual([query, countsOfOwn[operation.id] ?? 0])
      }
    }

    test.each(spotChecked(operations, of).map((each): [string, Operation] => [each.id, each]))(
      '%s is refused to callers without permission',
      async (_, operation) => {
        const { method, path, file, events, permissions: taken } = operation
        for (const answer of [await ask(nobody, operation, fixtures), await askBadly(nobody, operation)])
          expect([answer.status, answer.text]).toEqual([401, unauthorisedBody])
        const withLess = taken.flatMap((permission) => lacking.get(permission) ?? [])
        for (const caller of taken.includes(leastPermission) || taken.length === 0 ? withLess : [...withLess, least])
          await expectDenied(operation, caller)
        const client = exactly.get(taken.join())
        if (namesAThing(operation)) {
          await expectUnknown(operation)
          // Without a required permission, access depends on the owner.
          if (client === undefined) return
          const [answer, toAdmin] = [await ask(client, operation, missing), await ask(admin, operation, missing)]
          expect([answer.status, answer.text]).toEqual([toAdmin.status, toAdmin.text])
        }
        if (method === 'GET' && !path.includes('{') && !file && !events) await expectUnlisted(operation)
      },
      60_000,
    )

    test('given all of these requests, when the first tenant reads its data, then nothing has changed', async () => {
      expect(await settled(admin, fixtures, () => true)).toEqual(before)
      expect((await admin.call('GET', `/catalog-server/api/assets/${fixtures.assetId}`)).status).toBe(200)
    }, 300_000)
  })
}

/** An answer without the requested ids. */
function withoutIds(text: string, values: readonly string[]): string {
  return values.reduce((left, value) => {
    const sought = decodeURIComponent(value).replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    return left.replace(new RegExp(`(?<![\\w-])${sought}(?![\\w-])`, 'g'), '<id>')
  }, text)
}
