import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AssayProcess, startAssay } from '@assay/testkit'
import { makeAuthority } from '@assay/testkit/certificates'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { start, type TrinoServer, whyNot } from '../../../tools/servers/trino.mjs'
import { itemCounts, sourceCalls } from './database-source.fixture.ts'

const api = '/catalog-server/api'
const secret = 'a password that nobody may see'
const reason = await whyNot()
if (reason !== undefined) process.stderr.write(`The suite of Trino as a source does not run. ${reason}\n`)

const part = z.object({ nextUri: z.string().optional(), error: z.object({ message: z.string() }).optional() })

/** The user `reader` may read all tables of the schema `shop` but one. */
const rules = {
  catalogs: [
    { user: 'assay', allow: 'all' },
    { user: 'reader', catalog: 'memory|system', allow: 'read-only' },
  ],
  tables: [
    { user: 'assay', privileges: ['SELECT', 'INSERT', 'DELETE', 'OWNERSHIP', 'GRANT_SELECT'] },
    { user: 'reader', catalog: 'memory', schema: 'shop', table: 'hidden', privileges: [] },
    { user: 'reader', catalog: 'memory', schema: 'shop', privileges: ['SELECT'] },
    { user: 'reader', catalog: 'system', privileges: ['SELECT'] },
    { user: 'reader', catalog: 'memory', schema: 'information_schema', privileges: ['SELECT'] },
  ],
}

describe.skipIf(reason !== undefined)('Trino as a source', () => {
  let server: TrinoServer
  let folder: string
  let assay: AssayProcess
  const authority = makeAuthority()

  /** Runs a statement as the administrator, without the product's client. */
  async function admin(statement: string): Promise<void> {
    const headers = { 'x-trino-user': 'assay' }
    let answer = await fetch(`http://127.0.0.1:${server.port}/v1/statement`, {
      method: 'POST',
      headers,
      body: statement,
    })
    for (;;) {
      const { nextUri, error } = part.parse(await answer.json())
      if (error) throw new Error(error.message)
      if (!nextUri) return
      answer = await fetch(nextUri, { headers })
    }
  }

  beforeAll(async () => {
    ;[server, folder] = await Promise.all([
      start({
        secured: { ...authority.issueServer(), users: { reader: secret } },
        files: {
          'etc/access-control.properties': 'access-control.name=file\nsecurity.config-file={folder}/rules.json\n',
          'rules.json': JSON.stringify(rules),
        },
      }),
      mkdtemp(join(tmpdir(), 'assay-trino-source-')),
    ])
    for (const statement of [
      'CREATE SCHEMA memory.shop',
      `CREATE TABLE memory.shop.orders (id bigint NOT NULL, customer bigint, email varchar(100) COMMENT 'of the customer',
        amount decimal(10, 2), made timestamp(3) with time zone, kind char(3), paid boolean) COMMENT 'what was bought'`,
      `INSERT INTO memory.shop.orders VALUES
        (1, 1, 'a@example.com', DECIMAL '10.50', TIMESTAMP '2026-11-01 10:00:00 America/New_York', 'a', true),
        (2, 1, NULL, DECIMAL '200', TIMESTAMP '2026-11-02 10:00:00 UTC', 'b', true),
        (3, 2, '', DECIMAL '5', TIMESTAMP '2026-11-03 10:00:00 UTC', 'c', false)`,
      'CREATE VIEW memory.shop.large SECURITY INVOKER AS SELECT * FROM memory.shop.orders WHERE amount > 100',
      'CREATE TABLE memory.shop.hidden (id bigint)',
      'CREATE TABLE memory.shop.customers (id bigint)',
    ])
      await admin(statement)
    assay = await startAssay(join(folder, 'data'))
  }, 300_000)
  afterAll(async () => {
    await assay?.stop()
    await server?.stop()
    if (folder !== undefined) await rm(folder, { recursive: true, force: true })
  })

  const { good, ended, crawled } = sourceCalls(() => assay)
  const body = (more: object = {}) => ({
    ...{ name: 'lake', sourceType: 'TRINO' },
    configuration: {
      ...{ url: server.securedUrl, user: 'reader', password: secret, catalog: 'memory', schemas: ['shop'] },
      ...{ tlsCa: authority.certificate, ...more },
    },
  })

  it('given a wrong configuration, when it is tested or created, then a sentence says what is wrong', async () => {
    const plain = { url: `http://127.0.0.1:${server.port}` }
    const insecure = await assay.call('POST', `${api}/assemblies`, body(plain))
    expect(insecure).toMatchObject({ status: 400 })
    expect(insecure.json.errors[0].message).toMatch(/^configuration.password: is sent only over https/)
    for (const [wrong, sentence] of [
      [{ url: 'https://no-such-host.invalid:8443' }, /host no-such-host.invalid was not found/],
      [{ url: 'https://127.0.0.1:1' }, /Nothing listens at 127.0.0.1:1/],
      [{ url: 'https://localhost/path' }, /configuration.url: must be the address of the coordinator/],
      [{ password: 'wrong' }, /refused the password of the user "reader"/],
      [{ catalog: 'none' }, /no catalog "none" on the server/],
      [{ schemas: ['closed'] }, /no schema "closed" in the catalog "memory"/],
      [{ tlsCa: makeAuthority().certificate }, /certificate of the server is not trusted/],
    ] as const) {
      const refused = await assay.call('POST', `${api}/assemblies`, body(wrong))
      expect(refused).toMatchObject({ status: 400 })
      expect(refused.json.errors[0].message).toMatch(sentence)
    }
    server.pause()
    const { data } = await good('POST', `${api}/assemblies/test`, body({ connectTimeoutSeconds: 1 }))
    server.resume()
    expect(data).toMatchObject({ ok: false, message: expect.stringMatching(/did not answer within 1 seconds/) })
  })

  it('given a catalog, when it is crawled, then its tables, views and columns are assets', async () => {
    expect(await good('POST', `${api}/assemblies/test`, body())).toMatchObject({ data: { ok: true, assetsFound: 3 } })
    const { data: made } = await good('POST', `${api}/assemblies`, body())
    expect(made.configuration).toMatchObject({ user: 'reader', password: '***', maxConcurrentQueries: 4 })
    expect(await crawled(made.id)).toMatchObject({ status: 'SUCCESSFUL', added: 3, failed: 0, skippedCount: 0 })
    const typeOf = async (uid: string) => (await good('GET', `${api}/assets/byUid/${uid}`)).data.assetType.name
    const found = ['', '.shop', '.shop.orders', '.shop.large', '.shop.orders.email']
    expect(await Promise.all(found.map((path) => typeOf(`lake.memory${path}`)))).toEqual([
      ...['DATABASE', 'SCHEMA', 'TABLE', 'VIEW', 'COLUMN'],
    ])
    expect((await assay.call('GET', `${api}/assets/byUid/lake.memory.shop.hidden`)).status).toBe(404)
    const { data: orders } = await good('GET', `${api}/assets/byUid/lake.memory.shop.orders`)
    const { data: metadata } = await good('GET', `${api}/assets/${orders.id}/metadata`)
    expect(metadata.columns.slice(0, 3)).toEqual([
      { name: 'id', dataType: 'bigint', nullable: false },
      { name: 'customer', dataType: 'bigint', nullable: true },
      { name: 'email', dataType: 'varchar(100)', nullable: true, comment: 'of the customer' },
    ])
    expect(metadata).toMatchObject({ rowCount: 3, sizeBytes: null })
    expect(metadata.items.find((item: { key: string }) => item.key === 'comment')?.value).toBe('what was bought')
  })

  it('given a stored password, when it comes back masked, then it is kept, and it is in clear nowhere', async () => {
    const { data: made } = await good('GET', `${api}/assemblies/lake`)
    await good('PUT', `${api}/assemblies/${made.id}`, { ...body({ password: '***' }), description: 'a lake' })
    await good('POST', `${api}/assemblies/${made.id}/crawl`, {})
    expect(await crawled(made.id)).toMatchObject({ status: 'SUCCESSFUL', added: 0, changed: 0 })
    for (const name of await readdir(join(folder, 'data'), { recursive: true }))
      expect((await readFile(join(folder, 'data', name)).catch(() => Buffer.alloc(0))).includes(secret)).toBe(false)
    expect(assay.output()).not.toContain(secret)
  })

  it('given a table, when policies judge it, then only figures and bad rows leave the cluster', async () => {
    const { data: orders } = await good('GET', `${api}/assets/byUid/lake.memory.shop.orders`)
    const marker = { type: 'IdMarkerConfig', columnName: 'id' }
    const policy = await good('POST', `${api}/rules/data-quality`, {
      rule: { name: 'orders are complete', backingAsset: { tableAssetId: orders.id, marker } },
      items: [
        { name: 'e-mail', measurementType: 'MISSING_VALUES', columnName: 'email' },
        { name: 'amount', measurementType: 'RANGE_MATCH', columnName: 'amount', value: { min: '6', max: '1000' } },
        { name: 'made once', measurementType: 'DUPLICATE_ROWS_CHECK', value: { columns: ['customer'] } },
        { name: 'kinds', measurementType: 'CUSTOM', ruleExpression: 'length("kind") = 1 AND amount < 150' },
        { name: 'form', measurementType: 'REGEX_MATCH', columnName: 'kind', value: { pattern: '[ab]' } },
        { name: 'paid', measurementType: 'VALUES_IN_LIST', columnName: 'paid', value: { values: ['true'] } },
      ],
    })
    const full = await ended('data-quality', policy.rule.id, { executionType: 'FULL' })
    const once = [3, 1]
    expect(itemCounts(full)).toEqual([once, once, [3, 2], once, once, once])
    const results = `${api}/rules/data-quality/executions/${full.execution.id}/rows`
    const { data } = await good('GET', `${results}?category=bad`)
    const values = data.rows.map((row: { values: { id: number } }) => row.values)
    expect(values.toSorted((a: { id: number }, b: { id: number }) => a.id - b.id)).toMatchObject([
      { id: 1, amount: 10.5, made: '2026-11-01T15:00:00Z', kind: 'a', paid: true },
      { id: 2, email: null },
      { id: 3, email: '', paid: false },
    ])
    for (const format of ['CSV', 'PARQUET'])
      expect((await assay.call('GET', `${results}/download?category=bad&format=${format}`)).status).toBe(200)

    expect(itemCounts(await ended('data-quality', policy.rule.id, { executionType: 'INCREMENTAL' }))[0]).toEqual([3, 1])
    await admin("INSERT INTO memory.shop.orders VALUES (4, 2, NULL, DECIMAL '7', NULL, 'd', true)")
    expect(itemCounts(await ended('data-quality', policy.rule.id, { executionType: 'INCREMENTAL' }))[0]).toEqual([1, 1])

    const rule = { name: 'orders keep their columns', backingAsset: { tableAssetId: orders.id } }
    const drift = await good('POST', `${api}/rules/schema-drift`, { rule })
    expect((await ended('schema-drift', drift.rule.id, {})).execution).toMatchObject({ resultStatus: 'SUCCESSFUL' })
    await admin('ALTER TABLE memory.shop.orders ADD COLUMN note varchar')
    expect((await ended('schema-drift', drift.rule.id, {})).execution).toMatchObject({ resultStatus: 'WARNING' })
  })

  it('given a run, when its view is redefined, or it loses its table or the server, then it ends with the cause', async () => {
    const policyOn = async (name: string, columnName: string) => {
      const { data: table } = await good('GET', `${api}/assets/byUid/lake.memory.shop.${name}`)
      const rule = { name: `${name} have an id`, backingAsset: { tableAssetId: table.id } }
      const items = [{ name: 'id', measurementType: 'MISSING_VALUES', columnName }]
      return (await good('POST', `${api}/rules/data-quality`, { rule, items })).rule.id
    }
    const failing = async (policy: number) => {
      const { execution } = await ended('data-quality', policy, { executionType: 'FULL' })
      expect(execution).toMatchObject({ executionStatus: 'FAILED' })
      return execution.executionError
    }
    const [view, customers] = [await policyOn('large', 'id'), await policyOn('customers', 'id')]
    await admin('CREATE OR REPLACE VIEW memory.shop.large SECURITY INVOKER AS SELECT id FROM memory.shop.orders')
    expect(await failing(view)).toMatch(/redefined/)
    await admin('DROP TABLE memory.shop.customers')
    expect(await failing(customers)).toMatch(/shop.customers.*no longer exists/)
    server.pause()
    expect(await failing(customers)).toMatch(/did not answer within 5 seconds/)
    server.resume()
    await server.kill()
    expect(await failing(customers)).toMatch(/Nothing listens at localhost/)
  })
})
