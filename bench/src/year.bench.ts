import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ColumnState } from '@assay/data-engine'
import { documentPut } from '@assay/documents'
import { createSqliteDocuments } from '@assay/documents/sqlite'
import { executionCollections, readHistories, seriesDays, seriesRuns } from '@assay/execution/service'
import {
  dayOf,
  type Found,
  type KindPolicy,
  kindOf,
  type RunGiven,
  type SeriesKey,
  type SeriesPoint,
  summaryOf,
} from '@assay/reliability'
import { openDatabase } from '@assay/sqlite'
import { type BenchRow, median } from './ratio.ts'

const tenant = 'default'
const policyId = 7
const items = 20
const everyMs = 300_000
const end = Date.parse('2026-11-20T10:00:00Z')
const rounds = 15
/** Runs before the measured one; the last is a year. */
const lengths = [1_000, 10_000, 105_120]

const columns = Array.from({ length: items }, (_, index) => ({ name: `c${index}`, dataType: 'BIGINT' }))
const definition = {
  ...{ policyId, assetId: 11, filter: null, marker: null, timeoutMinutes: null, freshnessColumn: null },
  ...{ sensitivity: 'MEDIUM', metrics: ['MEAN'], treatZeroRowsAsSuccess: false },
  items: columns.map(({ name }, index) => ({
    ...{ id: index + 1, ruleId: policyId, executionOrder: index, name, thresholdConfig: null },
    ...{ monitorColumns: [name], metrics: ['MEAN'] },
  })),
  score: {
    ...{ strategy: 'WEIGHTAGE', items: [], verdictBy: 'ITEMS' },
    threshold: { type: 'ABSOLUTE', success: 100, warning: null },
  },
}
const references = {
  ...{ variables: {}, udf: () => undefined, lookup: () => undefined, tables: () => [], views: () => [] },
  carriesTag: () => undefined,
}
const run: RunGiven = {
  ...{ startedAt: new Date(end).toISOString(), executionType: 'FULL', itemSelection: null, markKey: null },
  sides: [{ side: 'ONE', assetId: 11, columns, references, mark: null }],
}

/** The mean of each column is `amount`. */
function profileOf(amount: number): Found[] {
  const rows = 100
  const value = { value: amount, position: amount, hash: '1', count: rows }
  const sums = { sum: String(rows * amount), squares: String(rows * amount ** 2), base: 10 as const, exponent: 0 }
  const ofColumn = (column: { name: string; dataType: string }): ColumnState => ({
    ...{ ...column, nulls: 0, hashedBy: 'bench', error: null },
    known: {
      ...{ count: rows, notFinite: null, least: value, greatest: value, text: null },
      ...{ number: { zeros: 0, negatives: 0, sums }, values: { kind: 'each', values: [value] } },
    },
  })
  return [{ kind: 'PROFILE', side: 'ONE', state: { rows, columns: columns.map(ofColumn) } }]
}

/** A value between 1,000 and 1,100 with a daily season, for a run and a series. */
const figureOn = (index: number, series: number) =>
  String(Math.round(1000 + 40 * Math.sin((2 * Math.PI * index) / 288) + ((index * 7 + series * 13) % 61)))

/** Stores the documents of `runs` runs before `end`, and returns the bytes of the largest of each collection. */
async function store(documents: ReturnType<typeof createSqliteDocuments>, keys: readonly SeriesKey[], runs: number) {
  const largest = { day: 0, run: 0 }
  const times = Array.from({ length: runs }, (_, index) => ({ index, at: end - (index + 1) * everyMs }))
  for (const [day, ofDay] of Map.groupBy(times, ({ at }) => dayOf(at))) {
    const source = { revision: 1, position: String(day).padStart(19, '0') }
    const ofRuns = ofDay.map(({ index, at }) => {
      const points = Object.fromEntries(keys.map((key, series) => [key, figureOn(index, series)]))
      const executionId = 1_000_000 - index
      return { id: executionId, state: { executionId, policyId, at, points } }
    })
    const summaries = Object.fromEntries(
      keys.map((key, series) => {
        const points = ofDay.map(({ index, at }): SeriesPoint => ({ at, value: figureOn(index, series) }))
        return [key, summaryOf(points)]
      }),
    )
    const ofDays = ofRuns.map(({ id: executionId, state: { at } }) => ({ executionId, at }))
    const state = seriesDays.schema.parse({ policyId, day, runs: ofDays, summaries, periods: [], marks: [] })
    largest.day = Math.max(largest.day, JSON.stringify(state).length)
    largest.run = Math.max(largest.run, JSON.stringify(ofRuns[0]?.state).length)
    await documents.put([
      documentPut(seriesDays, tenant, `${policyId}.${day}`, state, source),
      ...ofRuns.map(({ id, state: points }) => documentPut(seriesRuns, tenant, id, points, source)),
    ])
  }
  return largest
}

/** CPU time, because other work may share the cores. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** One more run after a history of that length: its reads of histories, and the CPU of these and of its judgement. */
async function measure(policy: KindPolicy, runs: number) {
  const folder = mkdtempSync(join(tmpdir(), 'assay-bench-'))
  const database = openDatabase({ path: join(folder, 'assay.db'), synchronous: 'NORMAL' })
  const documents = createSqliteDocuments({ database, collections: executionCollections })
  try {
    const asked = policy.lookBacks(run)
    const largest = await store(
      documents,
      asked.map(({ key }) => key),
      runs,
    )
    let reads = 0
    const counted: Pick<typeof documents, 'find'> = {
      find: (...request) => {
        reads += 1
        return documents.find(...request)
      },
    }
    const [reading, judging]: [number[], number[]] = [[], []]
    for (let round = 0; round < rounds; round += 1) {
      reads = 0
      const began = cpuMs()
      const past = await readHistories(counted, { tenant, policyId, asked, now: end, timeZone: null })
      const read = cpuMs()
      const steps = policy.judge(run, profileOf(1_030), past)
      while (steps.next().done !== true);
      reading.push(read - began)
      judging.push(cpuMs() - read)
    }
    return { runs, reads, ...largest, reading: median(reading), judging: median(judging) }
  } finally {
    await documents.close()
    await database.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The cost of one more run of a policy with 20 items that ran every five minutes for a year. */
export async function benchYear(): Promise<BenchRow[]> {
  const policy = kindOf('PROFILE_ANOMALY')?.open({ definition, shown: { items: [] } })(1)
  if (policy === undefined) throw new Error('Nothing runs profile anomaly policies.')
  const found = []
  for (const runs of lengths) found.push(await measure(policy, runs))
  for (const { runs, reads, day, run: ofRun, reading, judging } of found)
    process.stdout.write(
      `| ${runs} | ${reads} | ${reading.toFixed(0)} ms | ${judging.toFixed(0)} ms | ${day} | ${ofRun} |\n`,
    )
  const [, short, long] = found
  const costOf = (one: typeof short) => (one === undefined ? Number.NaN : one.reading + one.judging)
  const detail = `${costOf(long).toFixed(0)} ms against ${costOf(short).toFixed(0)} ms; ${long?.reads} and ${short?.reads} reads`
  const name = 'a year of runs every 5 minutes, 20 series: one judgement, against 10,000 runs'
  return [{ name, ratio: costOf(long) / costOf(short), target: '<= 1.2', detail }]
}
