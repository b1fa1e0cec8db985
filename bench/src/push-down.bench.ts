import {
  type DatabaseSource,
  isDatabaseSource,
  type MeasurePlan,
  type Metric,
  type Predicate,
  source,
} from '@assay/data-engine'
import { createDatabaseEngines } from '@assay/data-engine/databases'
import { createDuckDbEngine } from '@assay/data-engine/duckdb'
import mysql from 'mysql2/promise'
import pg from 'pg'
import { start as startMariadb } from '../../tools/servers/mariadb.mjs'
import { start as startPostgres } from '../../tools/servers/postgres.mjs'
import { keepNothing } from './engine-pairs.ts'
import { type BenchRow, interleaved } from './ratio.ts'

const rows = Number(process.env.ASSAY_BENCH_PUSH_DOWN_ROWS ?? 1_000_000)
const pairs = 5
const countries = ['DE', 'FR', 'IT', 'ES', 'NL']
const email = '[a-z0-9]+@[a-z]+[.]com'

const items: readonly Predicate[] = [
  { kind: 'missing', column: 'email', blankToo: false },
  { kind: 'missing', column: 'country', blankToo: false },
  { kind: 'regex', column: 'email', pattern: email, partial: false },
  { kind: 'in-list', column: 'country', values: countries, negate: false },
  { kind: 'range', column: 'amount', min: { kind: 'number', text: '0' }, inclusive: true },
  { kind: 'range', column: 'made', min: { kind: 'date', text: '2026-01-01' }, inclusive: true },
]
const metrics: Metric[] = [
  ...items.map((predicate, id): Metric => ({ kind: 'rows', id, predicate })),
  { kind: 'aggregate', id: 10, fn: 'SUM', column: 'amount' },
  { kind: 'newest', id: 11, column: 'made' },
  { kind: 'distinct', id: 12, column: 'customer' },
]

/** The same figures as a person writes them. `matches`: whether a text matches as a whole. */
function byHand(table: string, matches: string): string {
  const listed = countries.map((one) => `'${one}'`).join(', ')
  const counted = [
    'email IS NULL',
    'country IS NULL',
    `NOT (${matches})`,
    `country NOT IN (${listed})`,
    'amount < 0',
    "made < '2026-01-01'",
  ].map((fails) => `count(CASE WHEN ${fails} THEN 1 END)`)
  return `SELECT count(*), ${counted.join(', ')}, sum(amount), max(made), count(customer) - count(DISTINCT customer) FROM ${table}`
}

/** Rows of orders, some of them bad. `number`: the number of a row. */
const columns = (number: string, text: (sql: string) => string) => `${number} AS id,
  CASE WHEN ${number} % 50 = 0 THEN NULL ELSE concat('user', ${text(number)}, CASE WHEN ${number} % 40 = 0 THEN ' ' ELSE '@shop.com' END) END AS email,
  CASE ${number} % 8 WHEN 0 THEN 'DE' WHEN 1 THEN 'FR' WHEN 2 THEN 'IT' WHEN 3 THEN 'ES' WHEN 4 THEN 'NL' WHEN 5 THEN 'XX' ELSE 'DE' END AS country,
  ${number} % 1000 - 5 AS customer`

interface Subject {
  name: string
  configuration: DatabaseSource
  schema: string
  hand: string
  query(text: string): Promise<string[]>
  stop(): Promise<void>
}

function databaseAt(sourceType: DatabaseSource['sourceType'], url: string): DatabaseSource {
  const { hostname: host, port, pathname, username: user } = new URL(url)
  const at = { host, port: Number(port), database: pathname.slice(1), user, password: '', tls: false }
  const parsed = source.parse({ sourceType, ...at })
  if (isDatabaseSource(parsed)) return parsed
  throw new Error(`${sourceType} is not a database.`)
}

async function postgres(): Promise<Subject> {
  const server = await startPostgres()
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  const made = "timestamp '2025-12-31 12:00' + (i % 1000) * interval '1 hour' AS made"
  await client.query(
    `CREATE TABLE orders AS SELECT ${columns('i', (sql) => `CAST(${sql} AS text)`)}, CAST(i % 5000 - 3 AS numeric(12,2)) / 4 AS amount, ${made} FROM generate_series(1, ${rows}) AS i`,
  )
  await client.query('VACUUM ANALYZE orders')
  return {
    ...{ name: 'PostgreSQL', configuration: databaseAt('POSTGRESQL', server.url), schema: 'public' },
    hand: byHand('orders', `email ~ '^(?:${email})$'`),
    query: async (text) => {
      const { rows: found } = await client.query<unknown[]>({ text, rowMode: 'array' })
      return (found[0] ?? []).map(String)
    },
    stop: async () => {
      await client.end()
      await server.stop()
    },
  }
}

async function mariadb(): Promise<Subject> {
  const server = await startMariadb()
  const client = await mysql.createConnection({ uri: server.url, rowsAsArray: true, dateStrings: true })
  const made = "timestamp('2025-12-31 12:00') + INTERVAL (seq % 1000) HOUR AS made"
  await client.query(
    `CREATE TABLE orders AS SELECT ${columns('seq', (sql) => sql)}, CAST((seq % 5000 - 3) / 4 AS decimal(12,2)) AS amount, ${made} FROM (SELECT CAST(seq AS signed) AS seq FROM seq_1_to_${rows}) AS numbers`,
  )
  await client.query('ANALYZE TABLE orders')
  return {
    ...{ name: 'MariaDB', configuration: databaseAt('MARIADB', server.url), schema: 'assay' },
    hand: byHand('orders', `email REGEXP '^(?:${email})$'`),
    query: async (text) => {
      const [found] = await client.query<mysql.RowDataPacket[][]>(text)
      return (found[0] ?? []).map(String)
    },
    stop: async () => {
      await client.end()
      await server.stop()
    },
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

/** A policy of nine items in a database, against one statement by hand. */
async function pushedDown(subject: Subject): Promise<BenchRow> {
  const clock = { now: () => Date.now() }
  const files = createDuckDbEngine({ memoryMb: 512, threads: 1, clock })
  const { configuration, schema, hand, query, name } = subject
  const { [configuration.sourceType]: engine } = createDatabaseEngines({
    ...{ files, clock, unseal: (sealed: string) => sealed, hostsOf: () => null },
    sourceOf: async () => configuration,
  })
  const at = { kind: 'relation' as const, engine: configuration.sourceType, source: 1, schema, table: 'orders' }
  const plan: MeasurePlan = { dataset: { ...at, columns: [], fingerprint: '' }, metrics, rows: keepNothing }
  const call = { signal: new AbortController().signal, rows: async () => undefined }
  try {
    const { metrics: found } = await engine.measure(plan, call)
    const failed = found.flatMap((one) => (one.kind === 'rows' ? [String(one.failed)] : []))
    const answers = await query(hand)
    const expected = [...answers.slice(1, 7), answers.at(-1)]
    if (failed.join() !== expected.join()) throw new Error(`The answers differ: ${failed} and ${expected}.`)
    const { ratio, ...ms } = await interleaved(
      pairs,
      () => timed(() => engine.measure(plan, call)),
      () => timed(() => query(hand)),
    )
    const detail = `run ${ms.subject.toFixed(0)} ms with its session, statement by hand ${ms.baseline.toFixed(0)} ms`
    return { name: `push-down: nine items on ${rows} rows in ${name}`, ratio, target: '<= 1.1', detail }
  } finally {
    await engine.close()
    await files.close()
    await subject.stop()
  }
}

export async function benchPushDown(): Promise<BenchRow[]> {
  return [await pushedDown(await postgres()), await pushedDown(await mariadb())]
}
