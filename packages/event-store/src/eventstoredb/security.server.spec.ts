import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect, promisify } from 'node:util'
import { createLogger } from '@assay/service-kit'
import { type AssayError, isAssayError } from '@assay/service-kit/errors'
import { makeAuthority } from '@assay/testkit/certificates'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { withKnownOutcomes } from '../append-again.ts'
import type { EventStore } from '../port.ts'
import { type GrpcServer, startGrpcServer } from '../testing/grpc-server/index.ts'
import { freshStream, newEvent } from '../testing/new-events.ts'
import { createEventStoreDb } from './event-store.ts'

const user = { name: 'assay-user', password: 'p:a@s%s/w?o&r=d€' }
const credentials = `${encodeURIComponent(user.name)}:${encodeURIComponent(user.password)}`
/** Every encoding in which an error could contain the password. */
const secrets = [
  user.password,
  encodeURIComponent(user.password),
  Buffer.from(`${user.name}:${user.password}`).toString('base64'),
]
const deadlineMs = 20_000

let folder: string
let secured: GrpcServer
let mutual: GrpcServer
let plain: GrpcServer
const stores: EventStore[] = []

const file = (name: string) => join(folder, name)

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'assay-certificates-'))
  const authority = makeAuthority('authority of the servers')
  const stranger = makeAuthority('another authority')
  const client = authority.issueClient('assay')
  const strange = stranger.issueClient('assay')
  for (const [name, text] of Object.entries({
    'ca.pem': authority.certificate,
    'stranger.pem': stranger.certificate,
    'client.pem': client.certificate,
    'client-key.pem': client.key,
    'strange.pem': strange.certificate,
    'strange-key.pem': strange.key,
    'empty.pem': '',
  }))
    writeFileSync(file(name), text, { mode: 0o600 })
  const tls = authority.issueServer()
  ;[secured, mutual, plain] = await Promise.all([
    startGrpcServer({ admission: { tls, user } }),
    startGrpcServer({ admission: { tls: { ...tls, clientAuthority: authority.certificate } } }),
    startGrpcServer({ admission: {} }),
  ])
}, 180_000)

afterEach(async () => {
  for (const store of stores.splice(0)) await store.close()
})

afterAll(async () => {
  await Promise.all([secured, mutual, plain].map((server) => server.stop()))
  rmSync(folder, { recursive: true })
})

const trusting = (more = '') => `tls=true&tlsCaFile=${encodeURIComponent(file('ca.pem'))}${more}`
const address = (server: GrpcServer, options: string, who = `${credentials}@`) =>
  `esdb://${who}localhost:${server.port}?${options}`

function open(connectionString: string): EventStore {
  const store = createEventStoreDb({
    connectionString,
    deadlines: { append: deadlineMs, read: deadlineMs, resubscribe: 300 },
  })
  stores.push(store)
  return store
}

/** Every operation of a store. */
const operations: Record<string, (store: EventStore) => Promise<unknown>> = {
  append: (store) => store.append(freshStream().stream, [newEvent()], 'none'),
  read: (store) => store.read(freshStream().stream),
  'read the log': (store) => store.readAll({ categories: ['none'] }),
  truncate: async (store) => store.truncate?.(freshStream().stream, 1),
  async subscribe(store) {
    for await (const slice of store.subscribe({ signal: new AbortController().signal })) if (slice.atEnd) return
  },
}

async function errorsOf(store: EventStore): Promise<AssayError[]> {
  const errors: AssayError[] = []
  for (const [name, deed] of Object.entries(operations)) {
    const before = performance.now()
    const error: unknown = await deed(store).then(
      () => `could ${name}`,
      (reason: unknown) => reason,
    )
    if (!isAssayError(error)) throw new Error(inspect(error))
    expect(performance.now() - before).toBeLessThan(deadlineMs)
    errors.push(error)
  }
  return errors
}

/** Checks that neither the error with its causes nor a log line about it contains the password. */
function expectSecret(errors: readonly unknown[]): void {
  const lines: string[] = []
  const logger = createLogger({ level: 'debug', destination: { write: (line) => void lines.push(line) } })
  for (const each of errors) logger.error({ error: each, about: each }, String(each))
  const text = [...lines, inspect(errors, { depth: 30, showHidden: true, maxStringLength: null })].join('\n')
  for (const secret of secrets) expect(text).not.toContain(secret)
}

async function expectUnavailable(connectionString: string, sentence: RegExp): Promise<void> {
  const errors = await errorsOf(open(connectionString))
  for (const error of errors)
    expect([error.code, error.message]).toEqual(['unavailable', expect.stringMatching(sentence)])
  expect(new Set(errors.map(({ message }) => message)).size).toBe(1)
  expectSecret(errors)
}

describe('a server with TLS and users', () => {
  it('given the right user and authority, then appends, reads and subscriptions work', async () => {
    const store = open(address(secured, trusting()))
    const { category, stream, other } = freshStream()
    const event = newEvent({ text: 'ü' })
    const later = newEvent()
    await store.append(stream, [event], 'none')
    expect((await store.read(stream)).events.map(({ id }) => id)).toEqual([event.id])
    expect((await store.readAll({ categories: [category] })).events.map(({ id }) => id)).toEqual([event.id])
    const stop = new AbortController()
    const ids: string[] = []
    for await (const slice of store.subscribe({ categories: [category], signal: stop.signal })) {
      ids.push(...slice.events.map(({ id }) => id))
      if (ids.length === 1) await store.append(other('2'), [later], 'none')
      if (ids.length === 2) stop.abort()
    }
    expect(ids).toEqual([event.id, later.id])
    expect(new Set(secured.authorizations)).toEqual(new Set([`Basic ${secrets[2]}`]))
  })

  it('given a server that restarts, then the client authenticates again', async () => {
    const store = open(address(secured, trusting()))
    const { stream } = freshStream()
    await store.append(stream, [newEvent()], 'none')
    await secured.restart()
    const seen = secured.authorizations.length
    await expect
      .poll(() => store.read(stream).catch(() => undefined), { timeout: 40_000 })
      .toMatchObject({ revision: 0 })
    expect(secured.authorizations.slice(seen).at(-1)).toBe(`Basic ${secrets[2]}`)
  })

  it.each([
    ['a wrong password', () => `${user.name}:not-the-password@`],
    ['another user', () => `somebody:${encodeURIComponent(user.password)}@`],
    ['no user', () => ''],
  ])('given %s, then every call is refused, and errors contain neither user nor password', async (_what, who) => {
    const errors = await errorsOf(open(address(secured, trusting(), who())))
    for (const error of errors) {
      expect([error.code, error.message]).toEqual(['unavailable', expect.stringMatching(/refuses the user/)])
      for (const hidden of [user.name, 'somebody', 'not-the-password']) expect(error.message).not.toContain(hidden)
    }
    expectSecret(errors)
    expect(inspect(errors, { depth: 30, showHidden: true })).not.toContain('not-the-password')
  })

  it('given a refused user, then an append is not retried', async () => {
    const store = open(address(secured, trusting(), 'somebody:else@'))
    const retrying = withKnownOutcomes(store, { clock: { now: () => 0 }, timers: { sleep: async () => undefined } })
    const before = secured.authorizations.length
    await expect(retrying.append(freshStream().stream, [newEvent()], 'none')).rejects.toMatchObject({
      code: 'unavailable',
    })
    expect(secured.authorizations.length - before).toBe(1)
  })

  it('given a client certificate, when the server requires one, then the client is admitted', async () => {
    const shown = `&userCertFile=${file('client.pem')}&userKeyFile=${file('client-key.pem')}`
    const store = open(address(mutual, trusting(shown), ''))
    const { stream } = freshStream()
    await store.append(stream, [newEvent()], 'none')
    expect((await store.read(stream)).revision).toBe(0)
  })

  it.each([
    ['none', () => ''],
    ['one of another authority', () => `&userCertFile=${file('strange.pem')}&userKeyFile=${file('strange-key.pem')}`],
  ])(
    'given a server that requires a client certificate and gets %s, then calls throw unavailable',
    async (_what, more) => {
      for (const error of await errorsOf(open(address(mutual, trusting(more())))))
        expect(error.code).toBe('unavailable')
    },
  )
})

describe('connections that fail', () => {
  it.each([
    ['another authority', () => `tls=true&tlsCaFile=${file('stranger.pem')}`],
    ['no authority', () => 'tls=true'],
    ['no TLS option', () => 'connectionName=one'],
  ])('given a certificate that is not trusted (%s), then the error says what to do', async (_what, options) => {
    await expectUnavailable(address(secured, options()), /is not trusted. Set the file of its authority with tlsCaFile/)
  })

  it('given a host that the certificate does not cover, then the error says so', async () => {
    const authority = makeAuthority()
    writeFileSync(file('other.pem'), authority.certificate)
    const tls = authority.issueServer({ dns: 'events.example', ip: '192.0.2.1' })
    const elsewhere = await startGrpcServer({ admission: { tls } })
    await expectUnavailable(
      address(elsewhere, `tlsCaFile=${file('other.pem')}`),
      /use a host name that the certificate covers/,
    )
    await elsewhere.stop()
  })

  it('given a plain connection to a server with TLS, then calls throw unavailable', async () => {
    await expectUnavailable(address(secured, 'tls=false'), /client and server both use TLS or both do not/)
  })

  it('given a TLS connection to a plain server, then calls throw unavailable', async () => {
    await expectUnavailable(address(plain, trusting()), /does not use TLS at this address. Set tls=false/)
  })

  it('given a cluster without a reachable node, then calls throw unavailable', async () => {
    const nodes = `localhost:${plain.port},localhost:${plain.port}`
    await expectUnavailable(`esdb://${credentials}@${nodes}?${trusting('&maxDiscoverAttempts=2')}`, /cannot be reached/)
  })

  it('given a cluster whose nodes hang, then an append has an unknown outcome within twice its deadline', async () => {
    const hanging = await startGrpcServer()
    hanging.hold()
    const nodes = `localhost:${hanging.port},localhost:${hanging.port}`
    const connectionString = `esdb://${nodes}?tls=false&gossipTimeout=60`
    const store = createEventStoreDb({ connectionString, deadlines: { append: 500 } })
    stores.push(store)
    const before = performance.now()
    await expect(store.append(freshStream().stream, [newEvent()], 'none')).rejects.toMatchObject({
      code: 'unknown-outcome',
    })
    expect(performance.now() - before).toBeLessThan(30_000)
    await hanging.stop()
  })

  it('given a user and no TLS, then calls work, and the password is not sent in clear text', async () => {
    const store = open(address(plain, 'tls=false'))
    await store.append(freshStream().stream, [newEvent()], 'none')
    expect(plain.authorizations.length).toBeGreaterThan(0)
    expect(plain.authorizations.filter((each) => each !== undefined)).toEqual([])
  })
})

describe('the connection string and its files', () => {
  it.each([
    ['a missing file', () => `tlsCaFile=${file('nowhere.pem')}`, /tlsCaFile names cannot be read/],
    ['a file without a certificate', () => `tlsCaFile=${file('empty.pem')}`, /no certificate in PEM form/],
    [
      'a key of another certificate',
      () => `userCertFile=${file('client.pem')}&userKeyFile=${file('strange-key.pem')}`,
      /userKeyFile must be the key of userCertFile/,
    ],
    [
      'a file that is not a certificate',
      () => `userCertFile=${file('empty.pem')}&userKeyFile=${file('empty.pem')}`,
      /PEM/,
    ],
    ['an unknown option', () => 'tlsCa=/etc/ca.pem', /an unknown option/],
    ['disabled verification of certificates', () => 'tlsVerifyCert=false', /always checked/],
  ])('given %s, then opening throws invalid, and nothing is written to the console', (_what, options, sentence) => {
    const written = [vi.spyOn(console, 'warn'), vi.spyOn(console, 'error'), vi.spyOn(console, 'log')]
    let thrown: unknown
    try {
      open(address(secured, options()))
    } catch (error) {
      thrown = error
    }
    expect(thrown).toMatchObject({ code: 'invalid', message: expect.stringMatching(sentence) })
    expect(thrown).toMatchObject({ message: expect.not.stringContaining(folder) })
    expectSecret([thrown])
    for (const spy of written) {
      expect(spy).not.toHaveBeenCalled()
      spy.mockRestore()
    }
  })

  it.each([
    ['that works', () => address(secured, trusting()), 'read 1', {}],
    ['of an authority of the process', () => address(secured, 'tls=true'), 'read 1', { NODE_EXTRA_CA_CERTS: 'ca.pem' }],
    ['that is refused', () => address(secured, trusting(), `x${credentials}@`), 'refuses the user', {}],
    ['that is not trusted', () => address(secured, 'tls=true'), 'is not trusted', {}],
  ])(
    'given a connection %s, when the client logs in debug mode, then the log does not contain the password',
    async (_what, to, says, environment) => {
      const { stdout, stderr } = await promisify(execFile)(
        process.execPath,
        [join(import.meta.dirname, 'secured-client.fixture.ts'), to()],
        { cwd: folder, env: { ...process.env, DEBUG: '*', ...environment } },
      )
      expect(stdout).toContain(says)
      expect(stderr).toContain('esdb:connection')
      for (const secret of secrets) expect(stdout + stderr).not.toContain(secret)
    },
    180_000,
  )
})
