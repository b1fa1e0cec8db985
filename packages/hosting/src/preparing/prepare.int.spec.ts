import { randomBytes } from 'node:crypto'
import {
  createHttpApp,
  createIdentitySigner,
  createLogger,
  createMetrics,
  identityHeader,
  type Listening,
  listen,
} from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { systemClock, systemTimers, uuidV7 } from '@assay/service-kit/node'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Prepare } from './prepare.ts'
import { createPrepareClient } from './prepare-client.ts'
import { prepareRoute } from './prepare-route.ts'
import { preparePath } from './wire.ts'

const logger = createLogger({ level: 'silent' })
const signer = createIdentitySigner({ secret: randomBytes(32), clock: systemClock })
const prepared = { columns: [{ name: 'a', dataType: 'INTEGER' }], filterError: null, metricErrors: [] }
const definition = {
  tenant: 't',
  locator: { kind: 'files', any: ['thing', 1] },
  filter: { sql: 'a > ${x}', variables: { x: 1 } },
  metrics: [{ kind: 'rows' as const, id: 1, predicate: { kind: 'missing' as const, column: 'a', blankToo: false } }],
}
let prepare: Prepare
let http: Listening
let url: string

beforeAll(async () => {
  const app = createHttpApp({
    logger,
    newId: uuidV7,
    metrics: createMetrics(),
    configure: (each) => each.use(prepareRoute({ prepare: (request) => prepare(request), signer })),
  })
  http = await listen(app, { host: '127.0.0.1', port: 0 })
  url = `http://127.0.0.1:${http.port}`
})
afterAll(() => http.close())

const client = (more: Partial<Parameters<typeof createPrepareClient>[0]> = {}) =>
  createPrepareClient({ url, service: 'policy', signer, timers: systemTimers, logger, ...more })

describe('given a definition to check', () => {
  test('when the execution service answers, then its answer is returned, and it received the complete definition', async () => {
    let got: unknown
    prepare = async (request) => {
      got = request
      return prepared
    }
    expect(await client()(definition)).toEqual(prepared)
    expect(got).toEqual(definition)
  })

  test('when the source is unreachable, then the answer is `unreachable`', async () => {
    prepare = async () => 'unreachable'
    expect(await client()(definition)).toBe('unreachable')
  })

  test.each(['invalid', 'unprocessable', 'rate-limited', 'unavailable'] as const)(
    'when the check is refused as %s, then the error has that code and message',
    async (code) => {
      prepare = () => Promise.reject(new AssayError(code, 'The filter is not SQL.'))
      await expect(client()(definition)).rejects.toMatchObject({ code, message: 'The filter is not SQL.' })
    },
  )

  test('when the execution service fails, is late, is down or rejects the token, then the check throws unavailable', async () => {
    const isUnavailable = (asked: Promise<unknown>) => expect(asked).rejects.toMatchObject({ code: 'unavailable' })
    prepare = () => Promise.reject(new Error('a bug'))
    await isUnavailable(client()(definition))
    prepare = () => new Promise(() => undefined)
    await isUnavailable(client({ deadlineMs: 100 })(definition))
    await isUnavailable(client({ url: 'http://127.0.0.1:1' })(definition))
    const stranger = createIdentitySigner({ secret: randomBytes(32), clock: systemClock })
    await isUnavailable(client({ signer: stranger })(definition))
  })
})

describe('given the route', () => {
  const ask = async (token: string | undefined) => {
    const headers = { 'content-type': 'application/json', ...(token === undefined ? {} : { [identityHeader]: token }) }
    return (await fetch(`${url}${preparePath}`, { method: 'POST', headers, body: '{"metrics":1}' })).status
  }

  test('when the token or the body is invalid, then the answer is 401 or 400', async () => {
    const tokenOf = (accessKey: string) =>
      signer.sign({ tenant: 't', user: 'u', accessKey, permissions: new Set<never>() })
    expect(await ask(undefined)).toBe(401)
    expect(await ask(tokenOf('assay_ak_of_somebody'))).toBe(401)
    expect(await ask(tokenOf('internal:policy'))).toBe(400)
  })
})
