import { makeAuthority } from '@assay/testkit/certificates'
import { createConnection } from 'mysql2/promise'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MariadbServer, start } from '../../../../tools/servers/mariadb.mjs'
import type { ServerSource } from '../dataset.ts'
import { sourceAt } from '../testing/reach-url.ts'
import { createMysqlEngine } from './engine.ts'

const authority = makeAuthority()
const { certificate, key } = authority.issueServer()
const { signal } = new AbortController()
let server: MariadbServer
let admin: Awaited<ReturnType<typeof createConnection>>
beforeAll(async () => {
  server = await start({
    files: { 'cert.pem': certificate, 'key.pem': key, 'ca.pem': authority.certificate },
    settings: ['--ssl-cert={folder}/cert.pem', '--ssl-key={folder}/key.pem', '--ssl-ca={folder}/ca.pem'],
  })
  admin = await createConnection(server.url)
  await admin.query("CREATE USER secured@'127.0.0.1' IDENTIFIED BY 'secret' REQUIRE SSL")
  await admin.query("GRANT SELECT ON assay.* TO secured@'127.0.0.1'")
  await admin.query('CREATE TABLE t (a int)')
})
afterAll(async () => {
  await admin?.end()
  await server?.stop()
})

const probed = async (more: Partial<ServerSource>) => {
  const source = { ...sourceAt('MARIADB', server.url), user: 'secured', password: 'secret', ...more }
  const engine = createMysqlEngine({
    reach: (_of, _call, work) => work({ source, addresses: ['127.0.0.1'], password: source.password }),
    clock: { now: () => Date.now() },
  })
  try {
    return await engine.probe(source, { signal })
  } finally {
    await engine.close()
  }
}

describe('TLS to MariaDB', () => {
  const tlsCa = authority.certificate

  it.each(['127.0.0.1', 'localhost'])(
    'given a certificate of %s, when TLS must be verified, then it is used',
    async (host) => {
      expect(await probed({ host, tls: true, tlsCa })).toMatchObject({ tables: 1 })
    },
  )

  it('given no wish for TLS, when the server offers it, then it is used without a check', async () => {
    expect(await probed({ host: 'db.example.com' })).toMatchObject({ tables: 1 })
  })

  it.each([
    ['of another name', { host: 'db.example.com', tls: true, tlsCa }, /certificate of the server is not trusted/],
    ['of another address', { host: '10.0.0.7', tls: true, tlsCa }, /certificate of the server is not trusted/],
    ['of an unknown authority', { tls: true }, /certificate of the server is not trusted/],
    ['and TLS forbidden', { tls: false }, /refused the password of the user "secured"/],
  ])('given a certificate %s, when connected, then it is refused', async (_, more, sentence) => {
    await expect(probed(more)).rejects.toMatchObject({
      code: 'unprocessable',
      message: expect.stringMatching(sentence),
    })
  })
})
