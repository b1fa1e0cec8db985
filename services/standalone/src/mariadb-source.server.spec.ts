import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AssayProcess, startAssay } from '@assay/testkit'
import { createConnection } from 'mysql2/promise'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MariadbServer, start as startMariadb } from '../../../tools/servers/mariadb.mjs'
import { itemCounts, sourceCalls } from './database-source.fixture.ts'

const api = '/catalog-server/api'
const secret = 'a password that nobody may see'

let server: MariadbServer
let admin: Awaited<ReturnType<typeof createConnection>>
let folder: string
let assay: AssayProcess
const connected = () => createConnection({ uri: server.url, multipleStatements: true })
beforeAll(async () => {
  ;[server, folder] = await Promise.all([startMariadb(), mkdtemp(join(tmpdir(), 'assay-mariadb-source-'))])
  admin = await connected()
  await admin.query(`CREATE USER reader@'127.0.0.1' IDENTIFIED BY '${secret}', stranger@'127.0.0.1';
    CREATE DATABASE shop; CREATE DATABASE closed; USE shop;
    CREATE TABLE customers (id int PRIMARY KEY, name varchar(50) NOT NULL);
    CREATE TABLE orders (id int PRIMARY KEY, customer int, email varchar(100) COMMENT 'of the customer', amount decimal(10,2),
      made timestamp NOT NULL, kind varchar(10) UNIQUE, paid boolean, FOREIGN KEY (customer) REFERENCES customers (id))
      COMMENT 'what was bought';
    CREATE VIEW large AS SELECT * FROM orders WHERE amount > 100;
    CREATE VIEW larger AS SELECT o.id, c.name AS \`c.name\` FROM large o JOIN customers c ON c.id = o.customer;
    CREATE TABLE parts (id int, day date) PARTITION BY HASH (id) PARTITIONS 2;
    CREATE TABLE hidden (id int); CREATE TABLE unseen (id int); CREATE TABLE half (id int, secret text);
    GRANT SELECT, SHOW VIEW, INSERT ON shop.orders TO reader@'127.0.0.1';
    GRANT SELECT, SHOW VIEW ON shop.large TO reader@'127.0.0.1'; GRANT SELECT, SHOW VIEW ON shop.larger TO reader@'127.0.0.1';
    GRANT SELECT ON shop.customers TO reader@'127.0.0.1'; GRANT SELECT ON shop.parts TO reader@'127.0.0.1';
    GRANT INSERT ON shop.hidden TO reader@'127.0.0.1'; GRANT SELECT (id) ON shop.half TO reader@'127.0.0.1';
    INSERT INTO customers VALUES (1, 'Ada'), (2, 'Grace');
    INSERT INTO orders VALUES (1, 1, 'a@example.com', 10.50, '2026-11-01 10:00:00', 'a', true),
      (2, 1, NULL, 200, '2026-11-02 10:00:00', 'b', true), (3, 2, '', 5, '2026-11-03 10:00:00', 'c', false);
    ANALYZE TABLE orders`)
  assay = await startAssay(join(folder, 'data'))
}, 300_000)
afterAll(async () => {
  await assay?.stop()
  await admin?.end().catch(() => undefined)
  await server?.stop()
  await rm(folder, { recursive: true, force: true })
})

const { good, ended, crawled, policyOnView } = sourceCalls(() => assay)

const body = (more: object = {}, sourceType = 'MARIADB') => ({
  ...{ name: 'maria', sourceType },
  configuration: {
    ...{ host: '127.0.0.1', port: server.port, database: 'shop', user: 'reader', password: secret, tls: false },
    ...more,
  },
})

describe('a MariaDB database as a source', () => {
  it('given a wrong configuration, when it is tested or created, then a sentence says what is wrong', async () => {
    for (const [wrong, sentence] of [
      [{ host: 'no-such-host.invalid' }, /host no-such-host.invalid was not found/],
      [{ port: 1 }, /Nothing listens at 127.0.0.1:1/],
      [{ password: 'wrong' }, /refused the password of the user "reader"/],
      [{ user: 'nobody' }, /refused the password of the user "nobody", or knows no such user/],
      [{ database: 'none', user: 'assay', password: '' }, /no database "none"/],
      [{ database: 'closed' }, /no rights on the database "closed"/],
      [{ tls: true }, /refused TLS/],
      [{ schemas: ['closed'] }, /no schema "closed"/],
    ] as const) {
      const refused = await assay.call('POST', `${api}/assemblies`, body(wrong))
      expect(refused).toMatchObject({ status: 400 })
      expect(refused.json.errors[0].message).toMatch(sentence)
      const { data } = await good('POST', `${api}/assemblies/test`, body(wrong, 'MYSQL'))
      expect(data).toMatchObject({ ok: false, message: expect.stringMatching(sentence) })
    }
    server.pause()
    const { data } = await good('POST', `${api}/assemblies/test`, body({ connectTimeoutSeconds: 1 }))
    server.resume()
    expect(data).toMatchObject({ ok: false, message: expect.stringMatching(/did not answer within 1 seconds/) })
  })

  it('given a database, when it is crawled as either type, then its tables, views and columns are assets', async () => {
    expect(await good('POST', `${api}/assemblies/test`, body())).toMatchObject({ data: { ok: true, assetsFound: 6 } })
    const { data: other } = await good('POST', `${api}/assemblies`, { ...body({}, 'MYSQL'), name: 'my' })
    expect(await crawled(other.id)).toMatchObject({ status: 'SUCCESSFUL', added: 6, failed: 0 })
    const { data: made } = await good('POST', `${api}/assemblies`, body())
    expect(made.configuration).toMatchObject({
      user: 'reader',
      password: '***',
      port: server.port,
      maxConcurrentQueries: 4,
    })
    const crawl = await crawled(made.id)
    expect(crawl).toMatchObject({ status: 'SUCCESSFUL', added: 6, failed: 0, skippedCount: 1 })
    expect(crawl.skipped).toEqual([{ path: 'shop.hidden', message: expect.stringContaining('GRANT SELECT') }])
    const typeOf = async (uid: string) => (await good('GET', `${api}/assets/byUid/${uid}`)).data.assetType.name
    const found = ['', '.shop', '.shop.orders', '.shop.large', '.shop.orders.email', '.shop.half.id']
    expect(await Promise.all(found.map((path) => typeOf(`maria.shop${path}`)))).toEqual([
      ...['DATABASE', 'SCHEMA', 'TABLE', 'VIEW', 'COLUMN', 'COLUMN'],
    ])
    for (const absent of ['unseen', 'half.secret'])
      expect((await assay.call('GET', `${api}/assets/byUid/maria.shop.shop.${absent}`)).status).toBe(404)
    const { data: orders } = await good('GET', `${api}/assets/byUid/maria.shop.shop.orders`)
    const { data: metadata } = await good('GET', `${api}/assets/${orders.id}/metadata`)
    expect(metadata).toMatchObject({ rowCount: 3, sizeBytes: 49_152 })
    expect(metadata.columns.slice(0, 3)).toEqual([
      { name: 'id', dataType: 'int(11)', nullable: false },
      { name: 'customer', dataType: 'int(11)', nullable: true },
      { name: 'email', dataType: 'varchar(100)', nullable: true, comment: 'of the customer' },
    ])
    const itemNamed = (key: string) => metadata.items.find((item: { key: string }) => item.key === key)?.value
    expect(itemNamed('comment')).toBe('what was bought')
    expect(JSON.parse(itemNamed('primaryKey'))).toEqual(['id'])
    expect(JSON.parse(itemNamed('uniqueKeys'))).toEqual([['kind']])
    expect(JSON.parse(itemNamed('foreignKeys'))).toMatchObject([
      { columns: ['customer'], references: { schema: 'shop', table: 'customers', columns: ['id'] } },
    ])
  })

  it('given a stored password, when it comes back masked, then it is kept, and it is in clear nowhere', async () => {
    const { data: made } = await good('GET', `${api}/assemblies/maria`)
    await good('PUT', `${api}/assemblies/${made.id}`, { ...body({ password: '***' }), description: 'a shop' })
    await good('POST', `${api}/assemblies/${made.id}/crawl`, {})
    expect(await crawled(made.id)).toMatchObject({ status: 'SUCCESSFUL', added: 0, changed: 0 })
    for (const name of await readdir(join(folder, 'data'), { recursive: true }))
      expect((await readFile(join(folder, 'data', name)).catch(() => Buffer.alloc(0))).includes(secret)).toBe(false)
    expect(assay.output()).not.toContain(secret)
  })

  it('given a table, when policies judge it, then only figures and bad rows leave the database', async () => {
    const { data: orders } = await good('GET', `${api}/assets/byUid/maria.shop.shop.orders`)
    const marker = { type: 'IdMarkerConfig', columnName: 'id' }
    const policy = await good('POST', `${api}/rules/data-quality`, {
      rule: { name: 'orders are complete', backingAsset: { tableAssetId: orders.id, marker } },
      items: [
        { name: 'e-mail', measurementType: 'MISSING_VALUES', columnName: 'email' },
        { name: 'amount', measurementType: 'RANGE_MATCH', columnName: 'amount', value: { min: '6', max: '1000' } },
        { name: 'made once', measurementType: 'DUPLICATE_ROWS_CHECK', value: { columns: ['customer'] } },
        { name: 'kinds', measurementType: 'CUSTOM', ruleExpression: 'length(`kind`) = 1 AND amount < 150' },
        { name: 'form', measurementType: 'REGEX_MATCH', columnName: 'kind', value: { pattern: '[ab]' } },
        { name: 'paid', measurementType: 'VALUES_IN_LIST', columnName: 'paid', value: { values: ['true'] } },
      ],
    })
    const full = await ended('data-quality', policy.rule.id, { executionType: 'FULL' })
    const once = [3, 1]
    expect(itemCounts(full)).toEqual([once, once, [3, 2], once, once, once])
    const results = `${api}/rules/data-quality/executions/${full.execution.id}/rows`
    const { data } = await good('GET', `${results}?category=bad`)
    // The zone of the server is New York.
    const values = data.rows.map((row: { values: { id: number } }) => row.values)
    expect(values.toSorted((a: { id: number }, b: { id: number }) => a.id - b.id)).toMatchObject([
      { id: 1, amount: 10.5, made: '2026-11-01T15:00:00Z', paid: true },
      { id: 2, email: null },
      { id: 3, email: '', paid: false },
    ])
    for (const format of ['CSV', 'PARQUET'])
      expect((await assay.call('GET', `${results}/download?category=bad&format=${format}`)).status).toBe(200)

    expect(itemCounts(await ended('data-quality', policy.rule.id, { executionType: 'INCREMENTAL' }))[0]).toEqual([3, 1])
    await admin.query("INSERT INTO orders VALUES (4, 2, NULL, 7, now(), 'd', true)")
    expect(itemCounts(await ended('data-quality', policy.rule.id, { executionType: 'INCREMENTAL' }))[0]).toEqual([1, 1])

    const rule = { name: 'orders keep their columns', backingAsset: { tableAssetId: orders.id } }
    const drift = await good('POST', `${api}/rules/schema-drift`, { rule })
    expect((await ended('schema-drift', drift.rule.id, {})).execution).toMatchObject({ resultStatus: 'SUCCESSFUL' })
    await admin.query('ALTER TABLE orders ADD COLUMN note text')
    expect((await ended('schema-drift', drift.rule.id, {})).execution).toMatchObject({ resultStatus: 'WARNING' })
  })

  it('given a view and a SQL view, when a view that they read is redefined, then runs wait for the next crawl', async () => {
    const { data: view } = await good('GET', `${api}/assets/byUid/maria.shop.shop.larger`)
    const policy = await good('POST', `${api}/rules/data-quality`, {
      rule: { name: 'large orders have a customer', backingAsset: { tableAssetId: view.id } },
      items: [{ name: 'name', measurementType: 'MISSING_VALUES', columnName: 'c.name' }],
    })
    const { data: made } = await good('GET', `${api}/assemblies/maria`)
    const policies = [policy.rule.id, await policyOnView(made.id, 'SELECT `c.name` AS n FROM larger')]
    const runs = () => Promise.all(policies.map((id) => ended('data-quality', id, { executionType: 'FULL' })))
    expect((await runs()).map(itemCounts)).toEqual([[[1, 0]], [[1, 0]]])
    await admin.query('CREATE OR REPLACE VIEW large AS SELECT * FROM orders WHERE amount > 1')
    for (const { execution } of await runs())
      expect(execution).toMatchObject({
        executionStatus: 'FAILED',
        executionError: 'The view "larger" was redefined in its source. Crawl the source again.',
      })
    await good('POST', `${api}/assemblies/${made.id}/crawl`, {})
    expect(await crawled(made.id)).toMatchObject({ status: 'SUCCESSFUL', failed: 0 })
    // The messages of a crawl reach the policies shortly after its end.
    const scanned = async () => (await runs()).map(({ items }) => items[0]?.rowsScanned)
    await expect.poll(scanned, { timeout: 20_000 }).toEqual([4, 4])
  })

  it('given a run, when it is cancelled, loses its rights, its table or the server, then it ends with the cause', async () => {
    const { data: customers } = await good('GET', `${api}/assets/byUid/maria.shop.shop.customers`)
    const policy = await good('POST', `${api}/rules/data-quality`, {
      rule: { name: 'customers have a name', backingAsset: { tableAssetId: customers.id } },
      items: [{ name: 'name', measurementType: 'MISSING_VALUES', columnName: 'name' }],
    })
    const running = async () => {
      const [rows] = await admin.query(
        "SELECT STATE FROM information_schema.PROCESSLIST WHERE USER = 'reader' AND INFO LIKE '%customers%' AND COMMAND = 'Query'",
      )
      return rows
    }
    const other = await connected()
    await other.query('USE shop; LOCK TABLES customers WRITE')
    const path = `${api}/rules/data-quality/${policy.rule.id}/executions`
    const { execution } = await good('POST', path, { executionType: 'FULL' })
    await expect.poll(running, { timeout: 20_000 }).toHaveLength(1)
    await good('PUT', `${api}/rules/execution/${execution.id}/cancel`)
    await expect.poll(running, { timeout: 20_000 }).toHaveLength(0)
    await other.end()

    const failing = async () => {
      const { execution: one } = await ended('data-quality', policy.rule.id, { executionType: 'FULL' })
      expect(one).toMatchObject({ executionStatus: 'FAILED' })
      return one.executionError
    }
    await admin.query("REVOKE SELECT ON shop.customers FROM reader@'127.0.0.1'")
    expect(await failing()).toMatch(/shop.customers.*no right to SELECT/)
    await admin.query("GRANT SELECT ON shop.* TO reader@'127.0.0.1'; SET foreign_key_checks = 0; DROP TABLE customers")
    expect(await failing()).toMatch(/shop.customers.*no longer exists/)
    await admin.end()
    server.pause()
    expect(await failing()).toMatch(/did not answer within 5 seconds/)
    server.resume()
    await server.kill()
    expect(await failing()).toMatch(/Nothing listens at 127.0.0.1/)
    await server.restart()
  })
})
