import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { Socket } from 'node:net'
import { type Measured, type MeasurePlan, type Metric, type Predicate, source } from '@assay/data-engine'
import { createDatabaseEngines } from '@assay/data-engine/databases'
import { createDuckDbEngine } from '@assay/data-engine/duckdb'
import { z } from 'zod'
import { start, whyNot } from '../../tools/servers/trino.mjs'
import { keepNothing } from './engine-pairs.ts'
import { type BenchRow, interleaved } from './ratio.ts'

/** Schemas of the connector `tpch`: `sf1` has 6,001,215 rows of `lineitem`, `sf10` ten times as many. */
const schemas = (process.env.ASSAY_BENCH_TRINO_SCHEMAS ?? 'sf1').split(',')
const pairs = Number(process.env.ASSAY_BENCH_TRINO_PAIRS ?? 3)

const items: readonly Predicate[] = [
  { kind: 'missing', column: 'comment', blankToo: false },
  {
    kind: 'range',
    column: 'quantity',
    min: { kind: 'number', text: '1' },
    max: { kind: 'number', text: '49' },
    inclusive: true,
  },
  { kind: 'range', column: 'discount', max: { kind: 'number', text: '0.1' }, inclusive: true },
  { kind: 'in-list', column: 'shipmode', values: ['AIR', 'RAIL', 'SHIP', 'TRUCK', 'MAIL', 'FOB'], negate: false },
  { kind: 'in-list', column: 'returnflag', values: ['A', 'N', 'R'], negate: false },
  { kind: 'range', column: 'shipdate', max: { kind: 'date', text: '1998-11-01' }, inclusive: true },
]
const metrics: Metric[] = [
  ...items.map((predicate, id): Metric => ({ kind: 'rows', id, predicate })),
  { kind: 'aggregate', id: 10, fn: 'SUM', column: 'extendedprice' },
  { kind: 'newest', id: 11, column: 'shipdate' },
  { kind: 'distinct', id: 12, column: 'suppkey' },
]

/** The same figures as a person writes them. */
const byHand = (table: string) => `SELECT count(*), count_if(comment IS NULL), count_if(quantity < 1 OR quantity > 49),
  count_if(discount > 0.1), count_if(shipmode NOT IN ('AIR', 'RAIL', 'SHIP', 'TRUCK', 'MAIL', 'FOB')),
  count_if(returnflag NOT IN ('A', 'N', 'R')), count_if(shipdate > DATE '1998-11-01'), sum(extendedprice), max(shipdate),
  count(suppkey) - count(DISTINCT suppkey) FROM ${table}`

/** Bytes on the connections that were opened during `work`, in both directions. */
async function bytesOf(work: () => Promise<unknown>): Promise<number> {
  const sockets = new Set<Socket>()
  const onConnected = (message: unknown) => {
    if (typeof message === 'object' && message !== null && 'socket' in message && message.socket instanceof Socket)
      sockets.add(message.socket)
  }
  subscribe('undici:client:connected', onConnected)
  try {
    await work()
  } finally {
    unsubscribe('undici:client:connected', onConnected)
  }
  return [...sockets].reduce((sum, { bytesRead, bytesWritten }) => sum + bytesRead + bytesWritten, 0)
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

const part = z.object({
  nextUri: z.string().optional(),
  error: z.object({ message: z.string() }).optional(),
  data: z.array(z.array(z.unknown())).optional(),
})

/** Runs a statement without the product's client. Returns the first row. */
async function query(port: number, statement: string): Promise<unknown[]> {
  const headers = { 'x-trino-user': 'bench' }
  let answer = await fetch(`http://127.0.0.1:${port}/v1/statement`, { method: 'POST', headers, body: statement })
  let first: unknown[] = []
  for (;;) {
    const { nextUri, error, data } = part.parse(await answer.json())
    if (error) throw new Error(error.message)
    first = data?.[0] ?? first
    if (!nextUri) return first
    answer = await fetch(nextUri, { headers })
  }
}

/** A policy of nine items on `lineitem` in Trino, against one statement by hand, and the bytes that are transferred. */
export async function benchTrino(): Promise<BenchRow[]> {
  const reason = await whyNot()
  if (reason !== undefined) {
    process.stderr.write(`The bench of Trino does not run. ${reason}\n`)
    return []
  }
  const server = await start()
  const clock = { now: () => Date.now() }
  const files = createDuckDbEngine({ memoryMb: 512, threads: 1, clock })
  const found = source.parse({
    ...{ sourceType: 'TRINO', url: `http://127.0.0.1:${server.port}`, user: 'bench', catalog: 'tpch' },
  })
  if (found.sourceType !== 'TRINO') throw new Error('The source is not of Trino.')
  const { TRINO: engine } = createDatabaseEngines({
    ...{ files, clock, unseal: (sealed: string) => sealed, hostsOf: () => null, sourceOf: async () => found },
  })
  const call = { signal: new AbortController().signal, rows: async () => undefined }
  const benched: BenchRow[] = []
  try {
    for (const schema of schemas) {
      const at = { kind: 'relation' as const, engine: 'TRINO', source: 1, schema, table: 'lineitem' }
      const plan: MeasurePlan = { dataset: { ...at, columns: [], fingerprint: '' }, metrics, rows: keepNothing }
      const hand = byHand(`tpch.${schema}.lineitem`)
      let measured: Measured | undefined
      const bytes = await bytesOf(async () => {
        measured = await engine.measure(plan, call)
      })
      const { rowsScanned = 0, metrics: results = [] } = measured ?? {}
      const failed = results.flatMap((one) => (one.kind === 'rows' ? [String(one.failed)] : []))
      const answers = (await query(server.port, hand)).map(String)
      const expected = [...answers.slice(1, 7), answers.at(-1)]
      if (failed.join() !== expected.join()) throw new Error(`The answers differ: ${failed} and ${expected}.`)
      const { ratio, ...ms } = await interleaved(
        pairs,
        () => timed(() => engine.measure(plan, call)),
        () => timed(() => query(server.port, hand)),
      )
      const detail = `run ${(ms.subject / 1000).toFixed(1)} s, statement by hand ${(ms.baseline / 1000).toFixed(1)} s, ${bytes} bytes transferred`
      benched.push({ name: `trino: nine items on ${rowsScanned} rows (${schema})`, ratio, target: '<= 1.1', detail })
    }
  } finally {
    await engine.close()
    await files.close()
    await server.stop()
  }
  return benched
}
