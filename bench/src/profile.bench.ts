import { existsSync } from 'node:fs'
import { mkdir, rename, stat, utimes } from 'node:fs/promises'
import path from 'node:path'
import { keptLimits, type Metric, type Predicate, rowsInto, type Window } from '@assay/data-engine'
import { canMerge, figuresOf, mergeProfiles, mergeResults } from '@assay/reliability'
import { againstSql, inWarmChild, keepNothing, locate, raw, type Setup, withEngine } from './engine-pairs.ts'
import { countries, emailPattern, ordersFile, statuses } from './policy-data.ts'
import { profileByHand } from './profile-by-hand.ts'
import type { BenchRow } from './ratio.ts'

const rows = Number(process.env.BENCH_PROFILE_ROWS ?? 10_000_000)
const files = 100
const limits = { timeoutMs: 1_200_000, memoryMb: 600, threads: 2, maxTempMb: 8000 }
const run = () => ({ limits, signal: new AbortController().signal })

/** A day in seconds, and the change time of the first file. */
const day = 86_400
const first = Date.parse('2026-01-01T00:00:00Z') / 1000

/** The rows of the orders in 100 files, one for each day. Each file changed a day after the previous one. */
async function folderOfDays(orders: string): Promise<string> {
  const folder = path.join(path.dirname(orders), `days-${rows}`)
  if (existsSync(folder)) return folder
  const part = `${folder}.part`
  await mkdir(part, { recursive: true })
  const size = Math.ceil(rows / files)
  for (let index = 0; index < files; index += 1) {
    const file = path.join(part, `day-${String(index).padStart(3, '0')}.parquet`)
    const from = index * size
    await raw([
      `COPY (SELECT * FROM '${orders}' WHERE order_id > ${from} AND order_id <= ${from + size}) TO '${file}' (FORMAT parquet, COMPRESSION zstd)`,
    ])
    await utimes(file, first + index * day, first + index * day)
  }
  await rename(part, folder)
  return folder
}

/** A new file among 100 against a profile of all of them. */
async function newFile({ engine, folder }: Setup, orders: string): Promise<BenchRow> {
  const dataset = await locate(engine, path.join(await folderOfDays(orders), '*.parquet'))
  const last = new Date((first + (files - 2) * day) * 1000).toISOString()
  const before: Window = { kind: 'files', max: last, inclusive: true, follow: true }
  const after: Window = { kind: 'files', min: last, inclusive: false, follow: true }
  const kept = async (window: Window, into: string, earlier?: string) => {
    const plan = { dataset, window, keepValues: { earlier, limits: keptLimits } }
    return engine.profile(plan, { ...run(), rows: rowsInto(path.join(folder, into)) })
  }
  const earlier = await kept(before, 'earlier')
  const values = path.join(folder, 'earlier', earlier.keptValues ?? '')
  const whole = await inWarmChild(engine, () => engine.profile({ dataset }, run()))
  const added = await inWarmChild(engine, async () => {
    const found = await kept(after, 'added', values)
    if (!canMerge(earlier, found)) throw new Error('The states cannot be merged.')
    return mergeProfiles(earlier, found, found.whole)
  })
  const [merged, all] = [added.result.columns.map(figuresOf), whole.result.columns.map(figuresOf)]
  const exact = merged.filter((one, index) => JSON.stringify(one) === JSON.stringify(all[index])).length
  const cpu = `CPU ${added.cpuMs} against ${whole.cpuMs} ms (${(added.cpuMs / whole.cpuMs).toFixed(3)})`
  const size = `${((await stat(values)).size / 1_000_000).toFixed(1)} MB of values`
  const detail = `one file ${added.ms.toFixed(0)} ms, all ${whole.ms.toFixed(0)} ms; ${cpu}; ${size}; peak ${added.peakMb.toFixed(0)} MB; ${exact} of ${all.length} columns bit-equal, others estimated`
  return {
    ...{ name: `profile: 1 new file of ${files}, ${rows} rows`, ratio: added.ms / whole.ms },
    ...{ target: '<= 0.03', detail },
  }
}

const range = { kind: 'range', column: 'amount', min: { kind: 'number', text: '0' }, inclusive: true } as const
const items: readonly Predicate[] = [
  ...['email', 'country', 'amount', 'code', 'note'].map((column) => ({
    ...{ kind: 'missing' as const, column, blankToo: true },
  })),
  { kind: 'regex', column: 'email', pattern: emailPattern, partial: false },
  { kind: 'in-list', column: 'status', values: [...statuses], negate: false },
  { kind: 'in-list', column: 'country', values: [...countries], negate: false },
  { kind: 'datatype', column: 'code', dataType: 'BIGINT' },
  range,
]

/** A policy of ten items that runs after a new file arrived, against a run over all files. */
async function newFileOfPolicy({ engine, folder }: Setup, orders: string): Promise<BenchRow> {
  const dataset = await locate(engine, path.join(await folderOfDays(orders), '*.parquet'))
  const last = new Date((first + (files - 2) * day) * 1000).toISOString()
  const metrics = items.map((predicate, id): Metric => ({ kind: 'rows', id: id + 1, predicate }))
  const call = { ...run(), rows: rowsInto(folder) }
  const plan = (window: Window) => ({ dataset, metrics, rows: keepNothing, window })
  const before: Window = { kind: 'files', max: last, inclusive: true, follow: true }
  const after: Window = { kind: 'files', min: last, inclusive: false, follow: true }
  const earlier = await engine.measure(plan(before), call)
  const whole = await inWarmChild(engine, () =>
    engine.measure(plan({ kind: 'files', inclusive: true, follow: true }), call),
  )
  const added = await inWarmChild(engine, async () =>
    mergeResults(metrics, earlier.metrics, (await engine.measure(plan(after), call)).metrics),
  )
  if (JSON.stringify(added.result) !== JSON.stringify(whole.result.metrics)) throw new Error('The results differ.')
  const cpu = `CPU ${added.cpuMs} against ${whole.cpuMs} ms (${(added.cpuMs / whole.cpuMs).toFixed(3)})`
  const detail = `one file ${added.ms.toFixed(0)} ms, all ${whole.ms.toFixed(0)} ms; ${cpu}; results equal`
  return {
    ...{ name: `policy: 1 new file of ${files}, ${rows} rows`, ratio: added.ms / whole.ms },
    ...{ target: '<= 0.03', detail },
  }
}

/** All columns of one file, against the metrics by hand. */
async function whole({ engine }: Setup, orders: string): Promise<BenchRow> {
  const dataset = await locate(engine, orders)
  const profile = async () => void (await engine.profile({ dataset }, run()))
  const { ratio, detail } = await againstSql(1, engine, profile, profileByHand(orders))
  return { name: `profile of ${rows} rows`, ratio, target: '<= 1.2', detail }
}

export async function benchProfile(): Promise<BenchRow[]> {
  const orders = await ordersFile(rows)
  return withEngine(async (setup) => [await newFileOfPolicy(setup, orders), await newFile(setup, orders)])
}

export async function benchProfileWhole(): Promise<BenchRow[]> {
  const orders = await ordersFile(rows)
  return withEngine(async (setup) => [await whole(setup, orders)])
}
