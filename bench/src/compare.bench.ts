import { mkdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { type ComparedPair, rowsInto } from '@assay/data-engine'
import { againstSql, locate, raw, type Setup, withEngine } from './engine-pairs.ts'
import type { BenchRow } from './ratio.ts'

const rows = Number(process.env.BENCH_COMPARE_ROWS ?? 10_000_000)
const folder = path.join(import.meta.dirname, '..', '.data')

/** Ten columns; `changes`: rows whose amount differs. */
const select = (changes: string) => `
SELECT i AS id, (i * 2654435761 % 100000)::INTEGER AS customer, 'name ' || (i * 40503 % 65536) AS name,
  ((i * 7919 % 1000000) / 100.0)::DECIMAL(12,2) + ${changes} AS amount, i * 0.25 AS price, i % 7 = 0 AS paid,
  DATE '2020-01-01' + (i % 2000)::INTEGER AS day, TIMESTAMP '2020-01-01' + to_seconds(i) AS at,
  (i % 50)::SMALLINT AS shop, 'note ' || (i % 1000) AS note
FROM range(${rows}) AS t(i)`

/** Whether the right file has the rows in the order of the left one, as a copy has, or in another order. */
type Order = 'same' | 'other'

/** Two files that differ in ten rows; created once. */
async function files(order: Order): Promise<[string, string]> {
  await mkdir(folder, { recursive: true })
  const left = path.join(folder, `left-${rows}.parquet`)
  const right =
    order === 'same' ? path.join(folder, `copy-${rows}.parquet`) : path.join(folder, `right-${rows}.parquet`)
  const write = async (file: string, query: string) => {
    const isThere = await stat(file).then(
      () => true,
      () => false,
    )
    if (!isThere) await raw([`COPY (${query}) TO '${file}' (FORMAT parquet, COMPRESSION zstd)`])
  }
  await write(left, select('0'))
  const changed = select(`CASE WHEN i % ${Math.floor(rows / 10)} = 5 THEN 1 ELSE 0 END`)
  await write(right, order === 'same' ? changed : `${changed} ORDER BY i % 10, i`)
  return [left, right]
}

const names = ['id', 'customer', 'name', 'amount', 'price', 'paid', 'day', 'at', 'shop', 'note'] as const

/** The full join as a person would write it. */
function handWritten(left: string, right: string): string {
  const differs = names.slice(1).map((name) => `l.${name} IS DISTINCT FROM r.${name}`)
  return `SELECT count(*) FILTER (WHERE l.id IS NOT NULL AND r.id IS NOT NULL AND (${differs.join(' OR ')})), count(*) FILTER (WHERE r.id IS NULL), count(*) FILTER (WHERE l.id IS NULL) FROM '${left}' AS l FULL JOIN '${right}' AS r ON l.id = r.id`
}

async function compared({ engine, folder: output }: Setup, [left, right]: [string, string]) {
  const pairOf = (name: string): ComparedPair => ({ left: name, right: name, isKey: name === 'id' })
  const [key, ...values] = names
  const columns = [pairOf(key), ...values.map(pairOf)] as const
  const [one, other] = [await locate(engine, left), await locate(engine, right)]
  const limits = { timeoutMs: 600_000, memoryMb: 600, threads: 2, maxTempMb: 8000 }
  const plan = {
    ...{ left: { dataset: one }, right: { dataset: other }, columns },
    rows: { format: 'PARQUET' as const, limit: 1_000_000, preview: 100, itemIds: [1] },
  }
  return async () => {
    const { signal } = new AbortController()
    const { changed } = await engine.compare(plan, { rows: rowsInto(output), limits, signal })
    if (changed !== 10) throw new Error(`The engine found ${changed} rows instead of 10.`)
  }
}

/** Finds ten differing rows among those of two large files, against one full join. */
export async function benchCompare(): Promise<BenchRow[]> {
  const measured: BenchRow[] = []
  for (const order of ['same', 'other'] as const) {
    const both = await files(order)
    const query = handWritten(...both)
    await withEngine(async (setup) => {
      const { ratio, detail } = await againstSql(5, setup.engine, await compared(setup, both), [query])
      measured.push({ name: `compare ${rows} rows with as many in ${order} order`, ratio, target: '<= 0.45', detail })
    })
  }
  return measured
}
