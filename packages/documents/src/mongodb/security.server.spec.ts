import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import tls from 'node:tls'
import { inspect } from 'node:util'
import { createLogger } from '@assay/service-kit'
import { makeAuthority } from '@assay/testkit/certificates'
import { MongoClient } from 'mongodb'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MongoServer, start } from '../../../../tools/servers/mongodb.mjs'
import { testCollections, thingPut, things } from '../testing/index.ts'
import { createMongoDocuments } from './index.ts'

const user = { name: 'assay-user', password: 'p:a@s%s/w?o&r=d' }
const wrong = 'not-the-password'
const encoded = encodeURIComponent
const credentials = `${user.name}:${encoded(user.password)}@`
/** Every encoding in which an error could contain a password. */
const secrets = [user.password, wrong].flatMap((password) => [
  password,
  encoded(password),
  Buffer.from(password).toString('base64'),
])

function expectSecret(error: unknown): void {
  const lines: string[] = []
  const logger = createLogger({ level: 'debug', destination: { write: (line) => void lines.push(line) } })
  logger.error({ error, about: error }, String(error))
  // The error as people see it, and the log lines. The driver's own objects contain the password, because it must send
  // it.
  const text = [...lines, inspect(error, { depth: 2 })].join('\n')
  for (const secret of secrets) expect(text).not.toContain(secret)
}

describe('documents of MongoDB with TLS and users', () => {
  const authority = makeAuthority()
  const stranger = makeAuthority('another authority')
  const trusted = tls.getCACertificates('default')
  let folder: string
  /** With TLS and users. */
  let secured: MongoServer
  /** With TLS; requires a client certificate. */
  let mutual: MongoServer
  let plain: MongoServer
  const file = (name: string) => join(folder, name)
  let databases = 0

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'assay-mongodb-certificates-'))
    const server = authority.issueServer({ dns: 'localhost', ip: '192.0.2.1' })
    const client = authority.issueClient('assay')
    for (const [name, text] of Object.entries({
      'ca.pem': authority.certificate,
      'stranger.pem': stranger.certificate,
      'server.pem': server.certificate,
      'server-key.pem': server.key,
      'client.pem': `${client.certificate}${client.key}`,
    }))
      await writeFile(file(name), text, { mode: 0o600 })
    const withTls = ['--tls-cert-file', file('server.pem'), '--tls-key-file', file('server-key.pem')]
    ;[secured, mutual, plain] = await Promise.all([
      // The user must survive a kill.
      start({ arguments: ['--sync-on-commit'] }),
      start({ arguments: [...withTls, '--tls-ca-file', file('ca.pem'), '--tls-require-client-cert'] }),
      start(),
    ])
    const administrator = new MongoClient(secured.url)
    await administrator
      .db('admin')
      .command({ createUser: user.name, pwd: user.password, roles: [{ role: 'root', db: 'admin' }] })
    await administrator.close()
    await secured.restart([...withTls, '--auth'])
  }, 180_000)
  afterAll(async () => {
    await Promise.all([secured, mutual, plain].map((server) => server?.stop()))
    await rm(folder, { recursive: true })
  })

  const at = (server: MongoServer, options: string, who = '', host = 'localhost') =>
    `mongodb://${who}${host}:${server.port}/?directConnection=true&retryWrites=false${options}`
  const trusting = (more = '') => `&tls=true&tlsCAFile=${encoded(file('ca.pem'))}${more}`
  const open = (uri: string) =>
    createMongoDocuments({
      uri,
      database: `secured-${databases++}`,
      collections: testCollections,
      timeouts: { serverSelection: 5_000 },
    })

  async function expectWorks(uri: string): Promise<void> {
    const documents = await open(uri)
    await documents.put([thingPut('t', 1, { size: 7 }, 0)])
    expect((await documents.get(things, 't', 1))?.document).toMatchObject({ size: 7 })
    await documents.ping()
    await documents.close()
  }

  it.each<[string, () => string]>([
    ['TLS and a user', () => at(secured, trusting('&authSource=admin'), credentials)],
    [
      'TLS and a user by SCRAM-SHA-256',
      () => at(secured, trusting('&authSource=admin&authMechanism=SCRAM-SHA-256'), credentials),
    ],
    [
      'TLS and a certificate of the client',
      () => at(mutual, trusting(`&tlsCertificateKeyFile=${encoded(file('client.pem'))}`)),
    ],
  ])('given %s, when used, then documents are put and read', async (_, uri) => {
    await expectWorks(uri())
  })

  it('given an authority that the process trusts, when no file is named, then it works', async () => {
    tls.setDefaultCACertificates([...trusted, authority.certificate])
    try {
      await expectWorks(at(secured, '&tls=true&authSource=admin', credentials))
    } finally {
      tls.setDefaultCACertificates([...trusted])
    }
  })

  it.concurrent.each<[string, () => string, RegExp]>([
    [
      'a wrong password',
      () => at(secured, trusting('&authSource=admin'), `${user.name}:${wrong}@`),
      /refuses this user. Check the user, the password and the roles/,
    ],
    ['no user', () => at(secured, trusting()), /refuses this user/],
    ['an unknown authority', () => at(secured, '&tls=true&authSource=admin', credentials), /certificate .*tlsCAFile/],
    [
      'another authority',
      () => at(secured, `&tls=true&authSource=admin&tlsCAFile=${encoded(file('stranger.pem'))}`, credentials),
      /certificate .*tlsCAFile/,
    ],
    [
      'a host that the certificate does not cover',
      () => at(secured, trusting('&authSource=admin'), credentials, '127.0.0.1'),
      /certificate .*tlsCAFile/,
    ],
    ['no certificate for a server that requires one', () => at(mutual, trusting()), /tlsCertificateKeyFile/],
    ['no TLS for a server with TLS', () => at(secured, '&authSource=admin', credentials), /TLS/],
    ['TLS for a server without TLS', () => at(plain, trusting()), /TLS/],
    [
      'a missing file',
      () => at(secured, `&tls=true&tlsCAFile=${encoded(file('nowhere.pem'))}`, credentials),
      /cannot be read/,
    ],
  ])('given %s, when opened, then the error says so without the password', async (_, uri, sentence) => {
    const error: unknown = await open(uri()).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ message: expect.stringMatching(sentence) })
    expectSecret(error)
  })
})
