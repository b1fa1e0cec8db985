import { operations, type Permission, permissions, unauthorisedBody } from '@assay/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Pair, type RunningGateway, startGateway } from '../testing/harness.ts'

let gateway: RunningGateway
const pairs = new Map<string, Pair>()

/** A key that lacks one permission, made once. */
async function pairWithout(missing: Permission | undefined): Promise<Pair> {
  const known = pairs.get(missing ?? '')
  if (known) return known
  const { accessKey, secretKey } = await gateway.key(permissions.filter((permission) => permission !== missing))
  pairs.set(missing ?? '', { accessKey, secretKey })
  return { accessKey, secretKey }
}

beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway.stop())

/** A path of the operation whose parameters are good. */
function pathOf(template: string): string {
  return template.replace(/\{[A-Za-z]+\}/g, '7')
}

describe.each(operations)('given the operation $method $path', (operation) => {
  const request = { method: operation.method, ...(operation.method === 'GET' ? {} : { body: {} }) }

  test('when a key has all permissions, then the right operation is reached', async () => {
    const answer = await gateway.as(await pairWithout(undefined), pathOf(operation.path), request)
    expect([200, 201, 204, 400, 404]).toContain(answer.status)
    if (answer.status === 200 && operation.service !== 'gateway')
      expect(gateway.served.at(-1)?.operation.id).toBe(operation.id)
  })

  test.each(operation.permissions.map((permission) => ({ permission })))(
    'when a key lacks $permission, then the answer is the documented one, whatever else is wrong',
    async ({ permission }) => {
      const before = gateway.served.length
      const body = operation.method === 'GET' ? {} : { body: '{"broken' }
      const answer = await gateway.as(await pairWithout(permission), pathOf(operation.path), { ...request, ...body })
      const status = operation.deniedStatus ?? 403
      expect(answer.status).toBe(status)
      const message = operation.denied ?? expect.stringContaining(permission)
      expect(answer.errors()).toEqual([{ message, status }])
      expect(gateway.served.length).toBe(before)
    },
  )

  test('when nobody asks, then 401, whatever else is wrong', async () => {
    const answer = await gateway.send(pathOf(operation.path), {
      ...request,
      headers: { accessKey: 'x', secretKey: 'y' },
    })
    expect([answer.status, answer.text]).toEqual([401, unauthorisedBody])
    // The failures of one address are limited, and this table holds more of them than come at once.
    gateway.clock.time += 1000
  })
})

test('every operation asks for a permission, but those of any key and those of one’s own keys', () => {
  expect(operations.filter((operation) => operation.permissions.length === 0).map(({ id }) => id)).toEqual([
    'listUserApiKeys',
    'deleteUserApiKey',
    'getBuildDetails',
    'getCompatibleVersions',
  ])
})
