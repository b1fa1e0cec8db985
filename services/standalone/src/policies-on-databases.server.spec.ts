import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AssayProcess, startAssay } from '@assay/testkit'
import { createConnection } from 'mysql2/promise'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type MariadbServer, start as startMariadb } from '../../../tools/servers/mariadb.mjs'
import { type PostgresServer, start as startPostgres } from '../../../tools/servers/postgres.mjs'
import { sourceCalls } from './database-source.fixture.ts'

const api = '/catalog-server/api'

interface Order {
  id: number
  customer: string | null
  amount: number
  made: string
}

const order = (id: number): Order => ({
  id,
  customer: id % 10 === 0 ? null : `customer ${id % 5}`,
  amount: 100 + id / 100,
  made: `2026-11-${String((id % 20) + 1).padStart(2, '0')} 10:00:00`,
})
const orders = Array.from({ length: 100 }, (_, at) => order(at + 1))
const csvOf = (rows: readonly Order[]) =>
  [
    'id,customer,amount,made',
    ...rows.map((one) => [one.id, one.customer ?? '', one.amount, one.made].join(',')),
    '',
  ].join('\n')
const quoted = (value: string | number | null) =>
  value === null ? 'NULL' : typeof value === 'number' ? String(value) : `'${value}'`
const valuesOf = (rows: readonly Order[]) =>
  rows.map((one) => `(${[one.id, one.customer, one.amount, one.made].map(quoted).join(', ')})`).join(', ')
const tableOf = (name: string, rows: readonly Order[], time: string) =>
  `CREATE TABLE ${name} (id int PRIMARY KEY, customer varchar(20), amount decimal(10,2), made ${time}); INSERT INTO ${name} VALUES ${valuesOf(rows)}`

/** The tables that the policies change, each with the same rows. */
const tables = ['orders', 'copy', 'drifting', 'unusual', 'arriving', 'fleeting']
/** The customers that orders may have. */
const customers = [1, 2, 3, 4].map((id) => ({ name: `customer ${id}`, rebate: id / 10 }))

let postgres: PostgresServer
let mariadb: MariadbServer
let folder: string
let assay: AssayProcess
const { good, crawled } = sourceCalls(() => assay)
const admins: { pg?: pg.Client; maria?: Awaited<ReturnType<typeof createConnection>> } = {}

/** Runs statements as the owner of the tables. */
async function change(source: 'pg' | 'maria', text: string) {
  if (source === 'pg') await admins.pg?.query(text)
  else await admins.maria?.query(text)
}

async function assembly(name: string, sourceType: string, configuration: object) {
  const { data } = await good('POST', `${api}/assemblies`, { name, sourceType, configuration })
  expect(await crawled(data.id)).toMatchObject({ status: 'SUCCESSFUL', failed: 0 })
}

beforeAll(async () => {
  ;[postgres, mariadb, folder] = await Promise.all([
    startPostgres(),
    startMariadb(),
    mkdtemp(join(tmpdir(), 'assay-policies-on-databases-')),
  ])
  admins.pg = new pg.Client({ connectionString: postgres.url })
  admins.maria = await createConnection({ uri: mariadb.url, multipleStatements: true })
  await admins.pg.connect()
  await change('maria', 'CREATE DATABASE shop; USE shop')
  for (const table of tables) {
    await change('pg', tableOf(table, orders, 'timestamp'))
    await change('maria', tableOf(table, orders, 'datetime'))
  }
  const named = customers.map(({ name, rebate }) => `('${name}', ${rebate})`).join(', ')
  for (const source of ['pg', 'maria'] as const)
    await change(
      source,
      `CREATE TABLE customers (name varchar(30), rebate decimal(3,1)); INSERT INTO customers VALUES ${named}`,
    )
  await mkdir(join(folder, 'files'))
  await writeFile(join(folder, 'files', 'orders.csv'), csvOf(orders))
  const lines = customers.map(({ name, rebate }) => `${name},${rebate}`)
  await writeFile(join(folder, 'files', 'customers.csv'), ['name,rebate', ...lines, ''].join('\n'))
  assay = await startAssay(join(folder, 'data'))
  const common = { host: '127.0.0.1', user: 'assay', password: '', tls: false }
  await assembly('pg', 'POSTGRESQL', { ...common, port: postgres.port, database: 'postgres', schemas: ['public'] })
  await assembly('maria', 'MARIADB', { ...common, port: mariadb.port, database: 'shop' })
  await assembly('files', 'FILE', { path: join(folder, 'files') })
}, 300_000)
afterAll(async () => {
  await assay?.stop()
  await admins.pg?.end().catch(() => undefined)
  await admins.maria?.end().catch(() => undefined)
  await Promise.all([postgres?.stop(), mariadb?.stop()])
  await rm(folder, { recursive: true, force: true })
})

const uids = {
  pg: (table: string) => `pg.postgres.public.${table}`,
  maria: (table: string) => `maria.shop.shop.${table}`,
}

async function policy(kind: string, name: string, rule: object, more: object = {}): Promise<number> {
  const made = await good('POST', `${api}/rules/${kind}`, { rule: { name, ...rule }, ...more })
  return made.rule.id
}

const backedBy = (tableAssetUid: string) => ({ backingAsset: { tableAssetUid } })

async function verdict(kind: string, id: number) {
  const run = await good('POST', `${api}/rules/${kind}/${id}/executions?wait=60`, {})
  expect(run.execution).toMatchObject({ executionStatus: 'SUCCESSFUL', executionError: null })
  return run
}

/** Figures of a profile of all rows up to now. */
async function profiled(uid: string, data: object) {
  const { data: asset } = await good('GET', `${api}/assets/byUid/${uid}`)
  const { data: started } = await good('POST', `${api}/assets/${asset.id}/profile`, { data })
  const path = `${api}/assets/${asset.id}/profile/${started.id}`
  await assay.until(path, ({ text }) => /"status":"(SUCCESSFUL|FAILED|ABORTED)"/.test(text))
  return (await good('GET', `${path}/result`)).data
}

describe('two tables in different sources', () => {
  it.each([
    ['files.orders.csv', uids.pg('copy'), 'pg'],
    ['files.orders.csv', uids.maria('copy'), 'maria'],
    [uids.maria('orders'), uids.pg('copy'), 'pg'],
  ] as const)(
    'given %s and %s, when a row is changed and one is lost, then both types show it',
    async (left, right, broken) => {
      const sides = { leftBackingAsset: { tableAssetUid: left }, rightBackingAsset: { tableAssetUid: right } }
      const key = { leftColumnName: 'id', rightColumnName: 'id', useForJoining: true }
      const others = ['customer', 'amount', 'made'].map((name) => ({ leftColumnName: name, rightColumnName: name }))
      const items = ['EQUALITY', 'COUNT', 'HASHED_EQUALITY', 'PROFILE_EQUALITY'].map((measurementType) => ({
        measurementType,
      }))
      const reconciliation = await policy('reconciliation', `agree ${left} ${right}`, sides, {
        ...{ mappings: [key, ...others], items },
      })
      const equality = await policy('equality', `equal ${left} ${right}`, sides)
      const same = await verdict('reconciliation', reconciliation)
      expect(same.items.map(({ result }: { result: string }) => result)).toEqual(items.map(() => '100.0000'))
      expect(same.result.comparison).toMatchObject({ leftRows: 100, equal: 100, changed: 0 })
      expect((await verdict('equality', equality)).result).toMatchObject({ status: 'SUCCESSFUL', qualityScore: 100 })

      await change(broken, 'UPDATE copy SET amount = 7 WHERE id = 3; DELETE FROM copy WHERE id = 4')
      const { execution, items: found, result } = await verdict('reconciliation', reconciliation)
      expect(found.map(({ status }: { status: string }) => status)).toEqual(items.map(() => 'ERRORED'))
      expect(result.comparison).toMatchObject({ equal: 98, changed: 1, onlyLeft: 1, onlyRight: 0 })
      const { data } = await good('GET', `${api}/rules/reconciliation/executions/${execution.id}/rows`)
      expect(data.rows).toMatchObject([
        { difference: 'CHANGED', changedColumns: ['amount'], left: { id: 3, amount: 100.03 }, right: { amount: 7 } },
        { difference: 'ONLY_LEFT', left: { id: 4 }, right: null },
      ])
      const unequal = await verdict('equality', equality)
      expect(unequal.result).toMatchObject({
        status: 'ERRORED',
        comparison: { proof: { kind: 'ROW_COUNT', right: 99 } },
      })
      await change(broken, `DELETE FROM copy WHERE id = 3; INSERT INTO copy VALUES ${valuesOf(orders.slice(2, 4))}`)
    },
  )
})

const idOf = async (uid: string) => (await good('GET', `${api}/assets/byUid/${uid}`)).data.id
const idOfAssembly = async (name: string) => (await good('GET', `${api}/assemblies/${name}`)).data.id
const lookup = async (uid: string) => ({
  ...{ measurementType: 'VALUES_IN_LOOKUP', columnName: 'customer' },
  value: { lookupAssetId: await idOf(uid), lookupColumnName: 'name' },
})

const sqlViewBody = (assemblyId: number, name: string, query: string) => ({
  data: {
    asset: { name, assemblyId, isCustom: true },
    details: { query, description: 'A view.', queryType: 'SQL_QUERY' },
  },
})
async function sqlView(assemblyName: string, name: string, query: string) {
  const body = sqlViewBody(await idOfAssembly(assemblyName), name, query)
  return (await good('POST', `${api}/custom-assets/sql-view`, body)).data.customAsset
}
const joined = (orders: string, customers: string) =>
  `SELECT o.id, o.customer, o.amount, o.made, c.rebate FROM "${orders}" AS o JOIN "${customers}" AS c ON c.name = o.customer;`
const total = { items: [{ measurementType: 'RECORD_COUNT_TOTAL' }] }

describe('policies over several tables', () => {
  const places = [
    { orders: 'files.orders.csv', customers: 'files.customers.csv', name: 'customers.csv' },
    ...(['pg', 'maria'] as const).map((source) => ({
      ...{ orders: uids[source]('orders'), customers: uids[source]('customers'), name: 'customers' },
    })),
  ]
  const summed = (table: string) =>
    `SELECT sum(o.id) FROM asset AS o JOIN "${table}" AS c ON c.name = o.customer AND c.rebate > 0.1 WHERE o.id > 9`
  const rebated = ({ id, customer }: Order) => id > 9 && /[234]$/.test(customer ?? '')
  const sum = orders.filter(rebated).reduce((all, { id }) => all + id, 0)

  it('given the same rows in files and databases, when they are looked up and joined, then all verdicts agree', async () => {
    for (const { orders: table, customers: other, name } of places) {
      const sql = { measurementType: 'SQL_METRIC', value: { sql: summed(name), operator: 'EQ', value: sum } }
      const items = [await lookup(other), sql]
      const run = await verdict(
        'data-quality',
        await policy('data-quality', `over ${table}`, backedBy(table), { items }),
      )
      // Ten orders are of customer 0, who is not listed.
      expect(run.items).toMatchObject([
        { status: 'ERRORED', rowsScanned: 100, rowsFailed: 10 },
        { status: 'SUCCESSFUL', value: String(sum) },
      ])
    }
  })

  it('given a file and two databases, when each side is a SELECT, then the numbers are compared', async () => {
    for (const [left, right] of [places.slice(0, 2), places.slice(1, 3)]) {
      if (left === undefined || right === undefined) continue
      const sides = {
        leftBackingAsset: { tableAssetUid: left.orders },
        rightBackingAsset: { tableAssetUid: right.orders },
      }
      const more = (sql: string) => ({ leftSql: summed(left.name), rightSql: sql })
      const items = [more(summed(right.name)), more(`SELECT 1 + (${summed(right.name)})`)].map((value) => ({
        ...{ measurementType: 'CUSTOM', value },
      }))
      const id = await policy('reconciliation', `sums ${left.orders} ${right.orders}`, sides, { items })
      const run = await verdict('reconciliation', id)
      expect(run.items).toMatchObject([{ result: '100.0000' }, { result: '0.0000' }])
    }
  })

  it('given allowed values in another source, when each place looks them up in each other, then all verdicts agree', async () => {
    for (const { orders: table } of places) {
      const items = await Promise.all(places.map(({ customers }) => lookup(customers)))
      const run = await verdict(
        'data-quality',
        await policy('data-quality', `across ${table}`, backedBy(table), { items }),
      )
      expect(run.items).toMatchObject(places.map(() => ({ status: 'ERRORED', rowsScanned: 100, rowsFailed: 10 })))
      const { data } = await good('GET', `${api}/rules/data-quality/executions/${run.execution.id}/rows`)
      expect(data.rows).toHaveLength(10)
    }
  })
})

describe.each(['pg', 'maria'] as const)('policies on a table in %s', (source) => {
  const uid = (table: string) => uids[source](table)
  const name = (what: string) => `${what} ${source}`

  it('when it is profiled, then an INCREMENTAL profile reads new rows and has the figures of all', async () => {
    const full = await profiled(uid('orders'), { profilingType: 'FULL' })
    expect(full.rows).toBe(100)
    const markerConfig = { type: 'bound', idColumnName: 'id', fromId: 0 }
    const asked = { profilingType: 'INCREMENTAL', markerConfig }
    expect((await profiled(uid('orders'), asked)).columns).toEqual(full.columns)
    await change(source, `INSERT INTO orders VALUES ${valuesOf([order(101)])}`)
    const grown = await profiled(uid('orders'), asked)
    expect(grown.columns).toEqual((await profiled(uid('orders'), { profilingType: 'FULL' })).columns)
    const { data: asset } = await good('GET', `${api}/assets/byUid/${uid('orders')}`)
    const without = await assay.call('POST', `${api}/assets/${asset.id}/profile`, {
      data: { profilingType: 'INCREMENTAL' },
    })
    expect(without.status).toBe(422)
    await good('PUT', `${api}/assets/${asset.id}/config`, { freshnessColumnInfo: { name: 'made' } })
    // The execution service learns of the configuration from a message.
    const configured = await vi.waitFor(() => profiled(uid('orders'), { profilingType: 'INCREMENTAL' }), 20_000)
    expect(configured.columns).toEqual(grown.columns)
    await change(source, 'DELETE FROM orders WHERE id = 101')
  })

  it('when a SQL view joins its tables, then everything that looks at rows works on the view', async () => {
    const view = await sqlView(source, 'joined', joined('orders', 'customers'))
    const inFiles =
      source === 'pg' ? await sqlView('files', 'joined', joined('orders.csv', 'customers.csv')) : undefined
    const { childAssets } = await good('GET', `${api}/assets/${view.id}/childAssets`)
    const typed = childAssets.map((child: { name: string; dataType: string }) => `${child.name} ${child.dataType}`)
    const [whole, text, exact] =
      source === 'pg' ? ['integer', 'character varying', 'numeric'] : ['int', 'varchar', 'decimal']
    expect(typed).toEqual([
      expect.stringMatching(`^id ${whole}`),
      expect.stringMatching(`^customer ${text}\\(20\\)`),
      `amount ${exact}(10,2)`,
      expect.stringMatching('^made '),
      `rebate ${exact}(3,1)`,
    ])
    const { requestId } = await good('POST', `${api}/assets/${view.id}/sample/async`, {})
    const sample = await assay.until(`${api}/assets/sample/result/${requestId}`, ({ text: answer }) =>
      /"data":\[\{/.test(answer),
    )
    expect(sample.text).toContain('customer 4')
    expect((await profiled(view.asset.uid, { profilingType: 'FULL' })).rows).toBe(80)

    const over = backedBy(view.asset.uid)
    const sql = 'SELECT count(*) FROM asset JOIN "orders" AS o ON o.id = asset.id WHERE o.amount <> asset.amount'
    const items = [
      { measurementType: 'MISSING_VALUES', columnName: 'customer' },
      { measurementType: 'DISTINCTNESS_CHECK', columnName: 'id' },
      await lookup(uid('customers')),
      { measurementType: 'CUSTOM', ruleExpression: 'rebate > 0.1' },
      { measurementType: 'SQL_METRIC', value: { sql, operator: 'EQ', value: 0 } },
    ]
    const run = await verdict('data-quality', await policy('data-quality', name('joined'), over, { items }))
    expect(run.items).toMatchObject([
      ...[0, 0, 0, 20].map((rowsFailed) => ({ rowsScanned: 80, rowsFailed })),
      { status: 'SUCCESSFUL', value: '0' },
    ])
    const { data } = await good('GET', `${api}/rules/data-quality/executions/${run.execution.id}/rows`)
    expect(data.rows).toHaveLength(20)
    expect(data.rows[0].values).toMatchObject({ customer: 'customer 1', rebate: 0.1 })

    const listed = { measurementType: 'VALUES_IN_LOOKUP', columnName: 'customer' }
    const inView = { ...listed, value: { lookupAssetId: view.id, lookupColumnName: 'customer' } }
    for (const table of [uid('orders'), 'files.orders.csv']) {
      const id = await policy('data-quality', name(`looked up by ${table}`), backedBy(table), { items: [inView] })
      expect((await verdict('data-quality', id)).items).toMatchObject([{ rowsScanned: 100, rowsFailed: 10 }])
    }
    const other = inFiles?.asset.uid ?? 'pg.joined'
    const sides = { leftBackingAsset: { tableAssetUid: view.asset.uid }, rightBackingAsset: { tableAssetUid: other } }
    const equality = await verdict('equality', await policy('equality', name('same view'), sides))
    expect(equality.result).toMatchObject({ status: 'SUCCESSFUL', comparison: { leftRows: 80, equal: 80 } })
    const against = { ...sides, rightBackingAsset: { tableAssetUid: uid('orders') } }
    const key = { leftColumnName: 'id', rightColumnName: 'id', useForJoining: true }
    const mappings = [key, { leftColumnName: 'amount', rightColumnName: 'amount' }]
    const counted = await policy('reconciliation', name('view and table'), against, {
      ...{ mappings, items: [{ measurementType: 'EQUALITY' }] },
    })
    expect((await verdict('reconciliation', counted)).result.comparison).toMatchObject({ equal: 80, onlyRight: 20 })

    const age = { measurementType: 'DATA_FRESHNESS', columnName: 'made', value: { maxAge: 'PT1H' } }
    const fresh = await policy('data-freshness', name('view is fresh'), over, { items: [age] })
    expect((await verdict('data-freshness', fresh)).items).toMatchObject([{ newestAt: '2026-11-20T10:00:00Z' }])
    const drift = { items: [{ columnName: 'amount', metricType: 'MEAN', driftThreshold: 10 }] }
    const more = { 'data-drift': drift, 'profile-anomaly': {}, 'schema-drift': {}, 'data-cadence': total }
    for (const [kind, definition] of Object.entries(more))
      await verdict(kind, await policy(kind, name(`${kind} of the view`), over, definition))
  })

  it('when a SQL view writes, leaves its assembly or loses its table, then it is refused or fails with the cause', async () => {
    for (const [query, message] of [
      ['SELECT * FROM "orders.csv"', /no table "orders.csv" here/],
      ['SELECT * FROM information_schema.tables', /cannot be read here/],
      ['DELETE FROM "orders"', /Only a SELECT/],
      ['SELECT 1 AS one', /must read a table/],
      ['SELECT nobody FROM "orders"', /data.details.query: .*nobody/],
    ] as const) {
      const answer = await assay.call(
        'POST',
        `${api}/custom-assets/sql-view`,
        sqlViewBody(await idOfAssembly(source), 'no', query),
      )
      expect([answer.status, answer.json.errors[0].message]).toEqual([400, expect.stringMatching(message)])
    }
    const view = await sqlView(source, 'of fleeting', 'SELECT id FROM "fleeting"')
    const items = [{ measurementType: 'MISSING_VALUES', columnName: 'id' }]
    const id = await policy('data-quality', name('fleeting'), backedBy(view.asset.uid), { items })
    await verdict('data-quality', id)
    for (const [statement, cause] of [
      ['ALTER TABLE fleeting DROP COLUMN id', /There is no column "id"/],
      ['DROP TABLE fleeting', /fleeting no longer exists/],
    ] as const) {
      await change(source, statement)
      const { execution } = await good('POST', `${api}/rules/data-quality/${id}/executions?wait=60`, {})
      expect(execution).toMatchObject({ executionStatus: 'FAILED', executionError: expect.stringMatching(cause) })
    }
  })

  it('when a column is added, then schema drift fires', async () => {
    await change(source, 'CREATE TABLE shaped AS SELECT * FROM orders')
    const { data: made } = await good('GET', `${api}/assemblies/${source}`)
    await good('POST', `${api}/assemblies/${made.id}/crawl`, {})
    await crawled(made.id)
    const id = await policy('schema-drift', name('shape'), backedBy(uid('shaped')))
    expect((await verdict('schema-drift', id)).execution.resultStatus).toBe('SUCCESSFUL')
    await change(source, 'ALTER TABLE shaped ADD COLUMN note text')
    expect((await verdict('schema-drift', id)).execution.resultStatus).toBe('WARNING')
  })

  it('when values move, then data drift fires', async () => {
    const items = [
      { columnName: 'amount', metricType: 'MEAN', driftThreshold: 10 },
      { columnName: 'amount', measure: 'KS', driftThreshold: 20 },
      { columnName: 'customer', measure: 'JS', driftThreshold: 10 },
    ]
    const id = await policy('data-drift', name('drift'), backedBy(uid('drifting')), { items })
    await verdict('data-drift', id)
    expect((await verdict('data-drift', id)).execution.resultStatus).toBe('SUCCESSFUL')
    await change(source, "UPDATE drifting SET amount = amount * 2, customer = 'one'")
    const { items: found } = await verdict('data-drift', id)
    expect(found).toMatchObject([
      { status: 'ERRORED', value: '201.01', referenceValue: '100.505' },
      { status: 'ERRORED', value: '1' },
      { status: 'ERRORED' },
    ])
  })

  it('when values are unusual, then profile and auto anomaly fire', async () => {
    const kinds = ['profile-anomaly', 'auto-anomaly'] as const
    const ids = await Promise.all(kinds.map((kind) => policy(kind, name(kind), backedBy(uid('unusual')))))
    const runs = () => Promise.all(kinds.map((kind, at) => verdict(kind, ids[at] ?? 0)))
    for (let run = 0; run < 8; run += 1) await runs()
    await change(source, 'UPDATE unusual SET amount = amount + 1000, customer = NULL WHERE id > 50')
    for (const { execution, items } of await runs()) {
      expect(execution.resultStatus).toBe('ERRORED')
      const fired = items[0].anomalies.filter((one: { fired: boolean }) => one.fired)
      expect(fired.map((one: { metric: string; columnName: string }) => `${one.metric} ${one.columnName}`)).toEqual(
        expect.arrayContaining(['MEAN amount', 'COMPLETENESS customer']),
      )
    }
  })

  it('when rows are late or too many, then freshness and cadence fire', async () => {
    const items = [{ measurementType: 'DATA_FRESHNESS', columnName: 'made', value: { maxAge: 'PT1H' } }]
    const freshness = await policy('data-freshness', name('fresh'), backedBy(uid('arriving')), { items })
    const range = { type: 'ABSOLUTE', config: { direction: 'RANGE', lowerSuccess: 0, upperSuccess: 2 } }
    const cadence = await policy('data-cadence', name('cadence'), backedBy(uid('arriving')), {
      items: [
        { measurementType: 'RECORD_COUNT_DRIFT', thresholdConfig: range },
        { measurementType: 'RECORD_COUNT_TOTAL' },
      ],
    })
    const late = await verdict('data-freshness', freshness)
    expect(late.items).toMatchObject([
      { status: 'ERRORED', source: 'TIME_COLUMN', newestAt: '2026-11-20T10:00:00Z', columnName: 'made' },
    ])
    expect((await verdict('data-cadence', cadence)).items[1]).toMatchObject({ value: '100' })
    const now = new Date().toISOString().slice(0, 19).replace('T', ' ')
    const more = [101, 102, 103].map((id) => ({ ...order(id), made: now }))
    await change(source, `INSERT INTO arriving VALUES ${valuesOf(more)}`)
    expect((await verdict('data-freshness', freshness)).items).toMatchObject([{ status: 'SUCCESSFUL' }])
    expect((await verdict('data-cadence', cadence)).items).toMatchObject([
      { status: 'ERRORED', value: '3' },
      { value: '103' },
    ])
  })
})
