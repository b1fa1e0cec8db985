import { mkdtemp, rm } from 'node:fs/promises'
import path from 'node:path'
import { DuckDBConnection } from '@duckdb/node-api'
import type { DatasetLocator } from '../../dataset.ts'
import { openGuard } from '../../path-access.ts'
import type { Metric, MetricResult } from '../../plan.ts'
import { textLiteral } from '../../sql/quote.ts'
import { warmUpPrefix } from '../protocol.ts'
import { createCopies, createRunObjects, discoverSource, noCrawl, noStores } from '../sources/index.ts'
import { openDatabase } from './database.ts'
import { measure } from './measure.ts'

const rowsSql = `SELECT i AS id, i % 7 AS other, CAST(i AS DECIMAL(12, 3)) AS amount, CAST(i AS INTEGER) AS number,
  'a' || i AS name, CAST(i AS VARCHAR) AS code, TIMESTAMP '2026-01-01' + to_seconds(i) AS at FROM range(100) t(i)`

type Predicate = Extract<Metric, { kind: 'rows' }>['predicate']
const onRows = (id: number, predicate: Predicate): Metric => ({ kind: 'rows', id, predicate })

/** One metric of each of the usual kinds. */
const metrics: Metric[] = [
  onRows(1, { kind: 'missing', column: 'name', blankToo: true }),
  onRows(2, { kind: 'missing', column: 'id', blankToo: false }),
  onRows(3, { kind: 'regex', column: 'name', pattern: '[a-z0-9]+', partial: false }),
  onRows(4, { kind: 'text-length', column: 'name', min: 1, max: 9 }),
  onRows(5, { kind: 'in-list', column: 'name', values: ['a1', 'a2'], negate: false }),
  onRows(6, { kind: 'range', column: 'amount', min: { kind: 'number', text: '0' }, inclusive: true }),
  onRows(7, { kind: 'range', column: 'at', min: { kind: 'time', text: '2026-01-01T00:00:00Z' }, inclusive: true }),
  onRows(8, { kind: 'precision-scale', column: 'amount', precision: 10, scale: 2 }),
  onRows(9, { kind: 'datatype', column: 'code', dataType: 'INTEGER' }),
  onRows(10, { kind: 'duplicate', columns: ['other', 'at'] }),
  onRows(11, { kind: 'expression', expression: { sql: 'amount * number < 100', variables: {} } }),
  { kind: 'distinct', id: 12, column: 'other' },
  { kind: 'distinct', id: 13, column: 'name' },
  { kind: 'aggregate', id: 14, fn: 'SUM', column: 'amount' },
  { kind: 'newest', id: 15, column: 'at' },
]
const limits = { memoryMb: 200, threads: 1, maxTempMb: 1 }

/**
 * Warms up: does a small complete run on its own instance while the child is idle, so that the code for the next run is
 * already loaded. Returns what it measured. Removes its files in `tempRoot` (absolute) when it ends. If `signal` aborts
 * because there is work, it ends early: it rejects, or returns nothing measured.
 */
export async function runWarmUp(
  tempRoot: string,
  signal: AbortSignal,
  open = openDatabase,
): Promise<readonly MetricResult[]> {
  const tempFolder = await mkdtemp(path.join(tempRoot, warmUpPrefix(process.pid)))
  try {
    return await warmUpIn(tempFolder, signal, open)
  } finally {
    await rm(tempFolder, { recursive: true, force: true })
  }
}

async function warmUpIn(
  tempFolder: string,
  signal: AbortSignal,
  open: typeof openDatabase,
): Promise<readonly MetricResult[]> {
  const instance = await open()
  const connections: DuckDBConnection[] = []
  const interrupt = () => {
    for (const connection of connections) connection.interrupt()
  }
  signal.addEventListener('abort', interrupt, { once: true })
  try {
    const connection = await DuckDBConnection.create(instance)
    connections.push(connection)
    const file = path.join(tempFolder, 'warm-up.parquet')
    await connection.run(`COPY (${rowsSql}) TO ${textLiteral(file)} (FORMAT parquet)`)
    const found: DatasetLocator[] = []
    const copies = createCopies(tempFolder, limits.maxTempMb)
    await discoverSource(
      {
        ...{ connection, tempFolder, startedAt: 0, copies, guard: openGuard, brokers: null, stores: noStores },
        ...{ objects: createRunObjects(connection, { copies, signal, isLook: false }), crawl: noCrawl, signal },
      },
      { sourceType: 'FILE', path: file },
      async (one) => {
        if (one.kind === 'table') found.push(one.locator)
      },
    )
    const [dataset] = found
    if (dataset === undefined || signal.aborted) return []
    const context = {
      instance,
      limits,
      tempFolder,
      guard: openGuard,
      brokers: null,
      stores: noStores,
      signal,
      progress: () => undefined,
      startedAt: 0,
      startedTick: 0,
      onConnection: (made: DuckDBConnection) => connections.push(made),
    }
    const rows = { bad: null, good: null, preview: 1 }
    const measured = await measure(context, { dataset, metrics, rows }, tempFolder)
    return measured.metrics
  } finally {
    signal.removeEventListener('abort', interrupt)
    for (const connection of connections) connection.closeSync()
    instance.closeSync()
  }
}
