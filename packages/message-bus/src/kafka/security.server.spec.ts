import tls from 'node:tls'
import { inspect } from 'node:util'
import { createLogger, type Logger } from '@assay/service-kit'
import { makeAuthority } from '@assay/testkit/certificates'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type KafkaServer, start } from '../../../../tools/servers/kafka.mjs'
import { followingIds } from '../testing/index.ts'
import { busOver } from './bus-over.fixture.ts'
import type { Connection } from './client.ts'
import { numbered } from './publishing.fixture.ts'

const user = { name: 'assay-user', password: 'p:a@s%s/w?o&r-d' }
const wrong = 'not-the-password'
/** Every form in which a password could appear. */
const secrets = [user.password, wrong].flatMap((password) => [
  password,
  encodeURIComponent(password),
  Buffer.from(password).toString('base64'),
  Buffer.from(`\0${user.name}\0${password}`).toString('base64'),
])

type Mechanism = NonNullable<Connection['sasl']>['mechanism']
const sasl = (mechanism: Mechanism, password = user.password) => ({ mechanism, username: user.name, password })

/** Everything that a bus logs. */
function logged(): { logger: Logger; lines: string[] } {
  const lines: string[] = []
  return { logger: createLogger({ level: 'debug', destination: { write: (line) => void lines.push(line) } }), lines }
}

function expectSecret(...errors: unknown[]): void {
  const text = inspect(errors, { depth: 30, showHidden: true, maxStringLength: null, maxArrayLength: null })
  for (const secret of secrets) expect(text).not.toContain(secret)
}

describe('message bus of Kafka with TLS and users', () => {
  const authority = makeAuthority()
  const trusted = tls.getCACertificates('default')
  let server: KafkaServer
  let at: NonNullable<KafkaServer['secured']>
  /** Like starting the process with NODE_EXTRA_CA_CERTS. */
  const trustAuthority = () => tls.setDefaultCACertificates([...trusted, authority.certificate])
  const trustNobodyElse = () => tls.setDefaultCACertificates([...trusted])

  beforeAll(async () => {
    server = await start({
      secured: { ...authority.issueServer({ dns: 'localhost', ip: '192.0.2.1' }), users: [user] },
    })
    if (server.secured === undefined) throw new Error('The server has no secured listeners.')
    at = server.secured
    trustAuthority()
  })
  afterAll(async () => {
    trustNobodyElse()
    await server.stop()
  })

  it.each<[string, () => string, Partial<Connection>]>([
    ['TLS', () => at.tls, { ssl: true }],
    ['TLS and a user by PLAIN', () => at.tlsAndUsers, { ssl: true, sasl: sasl('plain') }],
    ['TLS and a user by SCRAM-SHA-256', () => at.tlsAndUsers, { ssl: true, sasl: sasl('scram-sha-256') }],
    ['TLS and a user by SCRAM-SHA-512', () => at.tlsAndUsers, { ssl: true, sasl: sasl('scram-sha-512') }],
    ['a user by SCRAM-SHA-512 alone', () => at.users, { ssl: false, sasl: sasl('scram-sha-512') }],
  ])('given %s, then published messages are handled once, in order', async (name, broker, way) => {
    const { logger, lines } = logged()
    const prefix = `${name.replaceAll(' ', '-')}.`
    const bus = await busOver([broker()], { ...way, prefix, logger })
    const { ids, subscription } = await followingIds(bus)
    await bus.publish('a', numbered(0, 30))
    await vi.waitFor(async () => expect(await subscription.lag()).toBe(0), { timeout: 60_000, interval: 50 })
    expect(ids.map(Number).toSorted((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, id) => id))
    expect(bus.healthy()).toBe(true)
    expect(await bus.parked('g')).toEqual([])
    await bus.close()
    expectSecret(lines)
  })

  it.each<[string, () => string, Partial<Connection>, RegExp]>([
    ['a wrong password by PLAIN', () => at.tlsAndUsers, { ssl: true, sasl: sasl('plain', wrong) }, /refuses the user/],
    [
      'a wrong password by SCRAM-SHA-512',
      () => at.tlsAndUsers,
      { ssl: true, sasl: sasl('scram-sha-512', wrong) },
      /refuses the user/,
    ],
    ['TLS to a listener without TLS', () => server.url, { ssl: true }, /does not use TLS at this address/],
    ['no TLS to a listener with TLS', () => at.tls, { ssl: false }, /only one side uses TLS/],
    ['no user for a cluster that requires one', () => at.tlsAndUsers, { ssl: true }, /it requires a user/],
    [
      'a user for a cluster without users',
      () => at.tls,
      { ssl: true, sasl: sasl('plain') },
      /has no users at this port/,
    ],
  ])(
    'given %s, when opened, then the error names the problem and not the password',
    async (_, broker, way, sentence) => {
      const { logger, lines } = logged()
      const error: unknown = await busOver([broker()], { ...way, logger }).catch((reason: unknown) => reason)
      expect(error).toMatchObject({ code: 'unavailable', message: expect.stringMatching(sentence) })
      expectSecret(error, lines)
    },
  )

  it.each<[string, () => string, () => void]>([
    ['an authority that is not trusted', () => at.tlsAndUsers, trustNobodyElse],
    ['a host that the certificate does not cover', () => at.tls.replace('localhost', '127.0.0.1'), trustAuthority],
  ])('given %s, when opened, then that throws unavailable and says what to do', async (_, broker, trust) => {
    const { logger, lines } = logged()
    trust()
    try {
      const opened = busOver([broker()], { ssl: true, sasl: sasl('plain'), logger })
      const error: unknown = await opened.catch((reason: unknown) => reason)
      expect(error).toMatchObject({
        code: 'unavailable',
        message: expect.stringMatching(/is not trusted. Set the file of its authority in NODE_EXTRA_CA_CERTS/),
      })
      expectSecret(error, lines)
    } finally {
      trustAuthority()
    }
  })
})
