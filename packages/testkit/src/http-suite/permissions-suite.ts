import { type Operation, operations, type Permission, permissions } from '@assay/contracts'
import { beforeAll, describe, expect, test } from 'vitest'
import { createClient, type HttpClient } from './client.ts'
import { type Fixtures, makeFixtures } from './fixtures.ts'
import { bodyOf, missingOf, namesAThing, pathOf } from './requests.ts'
import type { Target } from './target.ts'

/** Each operation with a key that lacks one of its permissions, and with one that has these and no other. */
export function permissionsSuite(open: () => Promise<Target>): void {
  describe('permissions, of every operation of the table', () => {
    const needed = [...new Set(operations.flatMap((operation) => operation.permissions))]
    const lacking = new Map<Permission, HttpClient>()
    const exactly = new Map<string, HttpClient>()
    let admin: HttpClient
    let fixtures: Fixtures
    let missing: Fixtures

    beforeAll(async () => {
      const target = await open()
      admin = createClient(target, target.admin)
      fixtures = await makeFixtures(admin, target.sharedFolder)
      missing = missingOf(fixtures)
      for (const permission of needed)
        lacking.set(permission, admin.as(await admin.key(permissions.filter((each) => each !== permission))))
      for (const operation of operations) {
        const name = operation.permissions.join()
        if (!exactly.has(name))
          exactly.set(
            name,
            admin.as(await admin.key(operation.permissions.length > 0 ? operation.permissions : ['ASSET_VIEW'])),
          )
      }
    }, 300_000)

    const cases = operations.flatMap((operation) =>
      operation.permissions.map((permission): [string, Permission, Operation] => [operation.id, permission, operation]),
    )
    test.each(cases)(
      'given a key without what it takes, when %s is asked without %s, then it is refused',
      async (_, permission, operation) => {
        const { method, denied } = operation
        const client = lacking.get(permission)
        const refused = await client?.call(method, pathOf(operation, fixtures), bodyOf(operation, fixtures))
        const nowhere = await client?.call(method, pathOf(operation, missing), bodyOf(operation, missing))
        // With or without the thing, and with or without a body: who may not do it learns nothing.
        expect([nowhere?.status, nowhere?.text]).toEqual([refused?.status, refused?.text])
        if (denied === undefined) {
          expect(refused?.status).toBe(403)
          expect(refused?.text).toContain(permission)
          return
        }
        const absent = await admin.call(method, pathOf(operation, missing), bodyOf(operation, missing))
        expect([refused?.status, refused?.text]).toEqual([absent.status, absent.text])
      },
    )

    // Where no permission is needed, what one may do depends on whose it is.
    const granted = operations.filter((each) => namesAThing(each) && each.permissions.length > 0)
    test.each(granted.map((each): [string, Operation] => [each.id, each]))(
      'given a key with what it takes and no more, when %s is asked for what is not there, then it is told what everyone is',
      async (_, operation) => {
        const client = exactly.get(operation.permissions.join())
        const [path, body] = [pathOf(operation, missing), bodyOf(operation, missing)]
        const answer = await client?.call(operation.method, path, body)
        const told = await admin.call(operation.method, path, body)
        expect([answer?.status, answer?.text]).toEqual([told.status, told.text])
      },
    )
  })
}
