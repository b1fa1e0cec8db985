import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AssayProcess, startAssay } from '@assay/testkit'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PostgresServer, start as startPostgres } from '../../../tools/servers/postgres.mjs'
import { itemCounts, sourceCalls } from './database-source.fixture.ts'

const api = '/catalog-server/api'
const secret = 'a password that nobody may see'

let server: PostgresServer
let admin: pg.Client
let folder: string
let assay: AssayProcess
beforeAll(async () => {
  ;[server, folder] = await Promise.all([startPostgres(), mkdtemp(join(tmpdir(), 'assay-postgresql-'))])
  admin = new pg.Client({ connectionString: server.url })
  await admin.connect()
  await admin.query(`CREATE ROLE reader LOGIN PASSWORD '${secret}'; CREATE SCHEMA shop; GRANT USAGE ON SCHEMA shop TO reader;
    CREATE TABLE shop.customers (id int PRIMARY KEY, name text NOT NULL);
    CREATE TABLE shop.orders (id int PRIMARY KEY, customer int REFERENCES shop.customers, email varchar(100), amount numeric(10,2),
      made timestamptz NOT NULL, kind text UNIQUE);
    COMMENT ON TABLE shop.orders IS 'what was bought'; COMMENT ON COLUMN shop.orders.email IS 'of the customer';
    CREATE VIEW shop.large AS SELECT * FROM shop.orders WHERE amount > 100;
    CREATE TABLE shop.parts (id int, day date) PARTITION BY RANGE (day);
    CREATE TABLE shop.parts_2026 PARTITION OF shop.parts FOR VALUES FROM ('2026-01-01') TO ('2027-01-01');
    GRANT SELECT ON ALL TABLES IN SCHEMA shop TO reader;
    CREATE TABLE shop.hidden (id int); CREATE SCHEMA closed; CREATE TABLE closed.t (id int);
    INSERT INTO shop.customers VALUES (1, 'Ada'), (2, 'Grace');
    INSERT INTO shop.orders VALUES (1, 1, 'a@example.com', 10.50, '2026-11-01T10:00Z', 'a'), (2, 1, NULL, 200, '2026-11-02T10:00Z', 'b'),
      (3, 2, '', 5, '2026-11-03T10:00Z', 'c'); ANALYZE shop.orders`)
  // Passwords count for everyone but the administrator.
  const { rows } = await admin.query<{ hba_file: string }>('SHOW hba_file')
  const lines = [
    'host all assay 127.0.0.1/32 trust',
    'host all nobody 127.0.0.1/32 trust',
    'host all all 127.0.0.1/32 scram-sha-256',
  ]
  await admin.query(`COPY (VALUES ${lines.map((line) => `('${line}')`).join(', ')}) TO '${rows[0]?.hba_file}'`)
  await admin.query('SELECT pg_reload_conf()')
  // The driver would use it for a source without a password.
  assay = await startAssay(join(folder, 'data'), { env: { PGPASSWORD: secret } })
}, 300_000)
afterAll(async () => {
  await assay?.stop()
  await admin?.end().catch(() => undefined)
  await server?.stop()
  await rm(folder, { recursive: true, force: true })
})

const { good, ended, crawled, policyOnView } = sourceCalls(() => assay)

const configuration = (more: object = {}) => ({
  ...{ host: '127.0.0.1', port: server.port, database: 'postgres', user: 'reader', password: secret, tls: false },
  ...more,
})
const body = (more: object = {}) => ({ name: 'pg', sourceType: 'POSTGRESQL', configuration: configuration(more) })

describe('a PostgreSQL database as a source', () => {
  it('given a wrong configuration, when it is tested or created, then a sentence says what is wrong', async () => {
    for (const [wrong, sentence] of [
      [{ host: 'no-such-host.invalid' }, /host no-such-host.invalid was not found/],
      [{ port: 1 }, /Nothing listens at 127.0.0.1:1/],
      [{ password: 'wrong' }, /refused the password of the user "reader"/],
      [{ password: '' }, /asks for the password of the user "reader"/],
      [{ user: 'nobody', password: '' }, /no user "nobody"/],
      [{ database: 'none' }, /no database "none"/],
      [{ tls: true }, /refused TLS/],
      [{ schemas: ['closed'] }, /no rights on the schema "closed"/],
      [{ schemas: ['none'] }, /no schema "none"/],
    ] as const) {
      const refused = await assay.call('POST', `${api}/assemblies`, body(wrong))
      expect(refused).toMatchObject({ status: 400 })
      expect(refused.json.errors[0].message).toMatch(sentence)
      const { data } = await good('POST', `${api}/assemblies/test`, body(wrong))
      expect(data).toMatchObject({ ok: false, message: expect.stringMatching(sentence) })
    }
    for (const [wrong, field] of [
      [{ host: '169.254.169.254' }, 'configuration.host'],
      [{ host: 'db:5432' }, 'configuration.host'],
      [{ maxConcurrentQueries: 33 }, 'configuration.maxConcurrentQueries'],
      [{ paswort: 'x' }, 'configuration.paswort'],
      [{ password: '***' }, 'configuration.password'],
    ] as const) {
      const refused = await assay.call('POST', `${api}/assemblies`, body(wrong))
      expect(refused).toMatchObject({ status: 400, text: expect.stringContaining(field) })
    }
  })

  it('given a database, when it is crawled, then its schemas, tables, views and columns are assets', async () => {
    expect(await good('POST', `${api}/assemblies/test`, body())).toMatchObject({ data: { ok: true, assetsFound: 4 } })
    const { data: made } = await good('POST', `${api}/assemblies`, body())
    expect(made.configuration).toMatchObject({ user: 'reader', password: '***', maxConcurrentQueries: 4 })
    const crawl = await crawled(made.id)
    expect(crawl).toMatchObject({ status: 'SUCCESSFUL', added: 4, failed: 0, skippedCount: 2 })
    const message = expect.stringContaining('GRANT SELECT')
    expect(crawl.skipped).toEqual([
      { path: 'closed.t', message },
      { path: 'shop.hidden', message },
    ])
    const typeOf = async (uid: string) => (await good('GET', `${api}/assets/byUid/${uid}`)).data.assetType.name
    expect(
      await Promise.all(
        [
          'pg.postgres',
          'pg.postgres.shop',
          'pg.postgres.shop.orders',
          'pg.postgres.shop.large',
          'pg.postgres.shop.orders.email',
        ].map(typeOf),
      ),
    ).toEqual(['DATABASE', 'SCHEMA', 'TABLE', 'VIEW', 'COLUMN'])
    expect((await assay.call('GET', `${api}/assets/byUid/pg.postgres.shop.parts_2026`)).status).toBe(404)
    const { data: orders } = await good('GET', `${api}/assets/byUid/pg.postgres.shop.orders`)
    const { data: metadata } = await good('GET', `${api}/assets/${orders.id}/metadata`)
    expect(metadata).toMatchObject({ rowCount: 3, sizeBytes: 8192 })
    expect(metadata.columns.slice(0, 3)).toEqual([
      { name: 'id', dataType: 'integer', nullable: false },
      { name: 'customer', dataType: 'integer', nullable: true },
      { name: 'email', dataType: 'character varying(100)', nullable: true, comment: 'of the customer' },
    ])
    const itemNamed = (key: string) => metadata.items.find((item: { key: string }) => item.key === key)?.value
    expect(itemNamed('comment')).toBe('what was bought')
    expect(JSON.parse(itemNamed('primaryKey'))).toEqual(['id'])
    expect(JSON.parse(itemNamed('foreignKeys'))).toMatchObject([
      { columns: ['customer'], references: { table: 'customers' } },
    ])
  })

  it('given a stored password, when it comes back masked, then it is kept, and it is in clear nowhere', async () => {
    const { data: made } = await good('GET', `${api}/assemblies/pg`)
    await good('PUT', `${api}/assemblies/${made.id}`, { ...body({ password: '***' }), description: 'a shop' })
    await good('POST', `${api}/assemblies/${made.id}/crawl`, {})
    expect(await crawled(made.id)).toMatchObject({ status: 'SUCCESSFUL', added: 0, changed: 0 })
    for (const name of await readdir(join(folder, 'data'), { recursive: true }))
      expect((await readFile(join(folder, 'data', name)).catch(() => Buffer.alloc(0))).includes(secret)).toBe(false)
    expect(assay.output()).not.toContain(secret)
  })

  it('given a table, when policies judge it, then only figures and bad rows leave the database', async () => {
    const { data: orders } = await good('GET', `${api}/assets/byUid/pg.postgres.shop.orders`)
    const marker = { type: 'IdMarkerConfig', columnName: 'id' }
    const rule = (name: string) => ({ name, backingAsset: { tableAssetId: orders.id } })
    const policy = await good('POST', `${api}/rules/data-quality`, {
      rule: { name: 'orders are complete', backingAsset: { tableAssetId: orders.id, marker } },
      items: [
        { name: 'e-mail', measurementType: 'MISSING_VALUES', columnName: 'email' },
        { name: 'amount', measurementType: 'RANGE_MATCH', columnName: 'amount', value: { min: '6', max: '1000' } },
        { name: 'made once', measurementType: 'DUPLICATE_ROWS_CHECK', value: { columns: ['customer'] } },
        { name: 'kinds', measurementType: 'CUSTOM', ruleExpression: 'length(kind) = 1 AND amount < 150' },
      ],
    })
    const full = await ended('data-quality', policy.rule.id, { executionType: 'FULL' })
    expect(itemCounts(full)).toEqual([
      [3, 1],
      [3, 1],
      [3, 2],
      [3, 1],
    ])
    const { data } = await good('GET', `${api}/rules/data-quality/executions/${full.execution.id}/rows?category=bad`)
    expect(data.rows.map(({ values }: { values: { id: number } }) => values.id).toSorted()).toEqual([1, 2, 3])
    for (const format of ['CSV', 'PARQUET'])
      expect(
        (
          await assay.call(
            'GET',
            `${api}/rules/data-quality/executions/${full.execution.id}/rows/download?category=bad&format=${format}`,
          )
        ).status,
      ).toBe(200)

    expect(itemCounts(await ended('data-quality', policy.rule.id, { executionType: 'INCREMENTAL' }))[0]).toEqual([3, 1])
    await admin.query("INSERT INTO shop.orders VALUES (4, 2, NULL, 7, now(), 'd')")
    expect(itemCounts(await ended('data-quality', policy.rule.id, { executionType: 'INCREMENTAL' }))[0]).toEqual([1, 1])

    const drift = await good('POST', `${api}/rules/schema-drift`, { rule: rule('orders keep their columns') })
    expect((await ended('schema-drift', drift.rule.id, {})).execution).toMatchObject({ resultStatus: 'SUCCESSFUL' })
    await admin.query('ALTER TABLE shop.orders ADD COLUMN note text')
    expect((await ended('schema-drift', drift.rule.id, {})).execution).toMatchObject({ resultStatus: 'WARNING' })
  })

  it('given a SQL view, when a view that it reads is redefined, then runs wait for the next crawl', async () => {
    const { data: made } = await good('GET', `${api}/assemblies/pg`)
    const policy = await policyOnView(made.id, 'SELECT kind AS n FROM "large"')
    const run = () => ended('data-quality', policy, { executionType: 'FULL' })
    expect(itemCounts(await run())).toEqual([[1, 0]])
    await admin.query(`CREATE OR REPLACE VIEW shop.large AS SELECT id, customer, email, amount, made, name AS kind
      FROM shop.orders JOIN (SELECT id AS customer, name FROM shop.customers) AS c USING (customer)`)
    expect((await run()).execution).toMatchObject({
      executionStatus: 'FAILED',
      executionError: 'The view "large" was redefined in its source. Crawl the source again.',
    })
    await good('POST', `${api}/assemblies/${made.id}/crawl`, {})
    expect(await crawled(made.id)).toMatchObject({ status: 'SUCCESSFUL', failed: 0 })
    // The messages of a crawl reach the policies shortly after its end.
    await expect.poll(async () => (await run()).items[0]?.rowsScanned, { timeout: 20_000 }).toBe(4)
  })

  it('given a rotated sealing key, when Assay starts again, then the database can still be read', async () => {
    await assay.stop()
    const file = join(folder, 'data', 'sealing-key')
    const [before = ''] = (await readFile(file, 'utf8')).split('\n')
    await writeFile(file, `${'a'.repeat(64)}\n${before}\n`)
    assay = await startAssay(join(folder, 'data'))
    await writeFile(file, `${'a'.repeat(64)}\n`)
    await assay.stop()
    assay = await startAssay(join(folder, 'data'))
    const { data: made } = await good('GET', `${api}/assemblies/pg`)
    await good('POST', `${api}/assemblies/${made.id}/crawl`, {})
    expect(await crawled(made.id)).toMatchObject({ status: 'SUCCESSFUL', removed: 0 })
  })

  it('given a run, when it is cancelled, loses its rights, its table or the server, then it ends with the cause', async () => {
    const { data: orders } = await good('GET', `${api}/assets/byUid/pg.postgres.shop.customers`)
    const policy = await good('POST', `${api}/rules/data-quality`, {
      rule: { name: 'customers have a name', backingAsset: { tableAssetId: orders.id } },
      items: [{ name: 'name', measurementType: 'MISSING_VALUES', columnName: 'name' }],
    })
    const running = async () =>
      (await admin.query("SELECT 1 FROM pg_stat_activity WHERE usename = 'reader' AND state = 'active'")).rowCount
    // A second session, because within a transaction the server shows the activity of its beginning.
    const other = new pg.Client({ connectionString: server.url })
    await other.connect()
    await other.query('BEGIN; LOCK TABLE shop.customers')
    const { execution } = await good('POST', `${api}/rules/data-quality/${policy.rule.id}/executions`, {
      executionType: 'FULL',
    })
    await expect.poll(running, { timeout: 20_000 }).toBe(1)
    await good('PUT', `${api}/rules/execution/${execution.id}/cancel`)
    await expect.poll(running, { timeout: 20_000 }).toBe(0)
    await other.query('COMMIT')
    await other.end()

    const failing = async () => {
      const { execution: one } = await ended('data-quality', policy.rule.id, { executionType: 'FULL' })
      expect(one).toMatchObject({ executionStatus: 'FAILED' })
      return one.executionError
    }
    await admin.query('REVOKE SELECT ON shop.customers FROM reader')
    expect(await failing()).toMatch(/shop.customers.*no right to SELECT/)
    await admin.query('DROP TABLE shop.customers CASCADE')
    expect(await failing()).toMatch(/shop.customers.*no longer exists/)
    await admin.end()
    await server.kill()
    expect(await failing()).toMatch(/Nothing listens at 127.0.0.1/)
    await server.restart()
  })
})
