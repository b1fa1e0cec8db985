import { createHash } from 'node:crypto'
import type { Artifacts } from '@assay/artifacts'
import {
  type DataEngine,
  isSetOfFiles,
  type KeptRowFiles,
  type MeasurePlan,
  type Metric,
  type Window,
} from '@assay/data-engine'
import type { Documents } from '@assay/documents'
import { mergeResults, whyNotMerged } from '@assay/reliability'
import { z } from 'zod'
import { executions } from '../execution/execution.documents.ts'
import { type KeptFile, keptFile, type RunResult } from '../execution/run.ts'
import type { KnownRun } from '../versions/versions.ts'
import { joinedRows } from './joined-rows.ts'
import { type MeasuredRun, type MeasureOptions, measureRun } from './measure-run.ts'
import type { OpenSide } from './open-sides.ts'

/** The file with the results of a run over a set of files, next to its metadata. */
export const measuredFile = 'measured.json'

const metricResult = z.discriminatedUnion('kind', [
  z.object({ id: z.int(), kind: z.literal('rows'), scanned: z.int(), failed: z.int() }),
  z.object({
    ...{ id: z.int(), kind: z.literal('value'), value: z.string().nullable(), scanned: z.int() },
    isText: z.literal(true).exactOptional(),
  }),
])

/** The results over all files that changed until `mark` (ISO 8601 UTC). */
const measuredFiles = z.object({
  /** Identifies what was measured. */
  key: z.string(),
  mark: z.string(),
  /** The `files.all` of the measurement. */
  files: z.string(),
  columns: z.array(z.object({ name: z.string(), dataType: z.string() })),
  rowsScanned: z.int(),
  results: z.array(metricResult),
  warnings: z.object({ total: z.int(), first: z.array(z.object({ line: z.int(), message: z.string() })) }),
})
type MeasuredFiles = z.infer<typeof measuredFiles>
const keptMeasure = measuredFiles.extend({ bad: keptFile.nullable() })
type KeptMeasure = z.infer<typeof keptMeasure>

/**
 * The files of a run, and why they had to be read again. `kept`: the results that let the next run read only new files.
 */
export interface ReadFiles extends Pick<RunResult, 'partitions' | 'notMerged'> {
  kept?: MeasuredFiles
}

/** Measures a set of files, and reads only those that changed after an earlier run, if possible. */
export type MeasureFiles = (
  asked: Parameters<typeof measureRun>[1],
  options: MeasureOptions,
) => Promise<MeasuredRun & { read: ReadFiles }>

/** The text of `measuredFile`. Pure. */
export function measuredText(kept: MeasuredFiles, bad: KeptFile | null): string {
  return JSON.stringify({ ...kept, bad } satisfies KeptMeasure)
}

const maxRuns = 20
const maxWarnings = 100
const everyFile: Window = { kind: 'files', inclusive: true, follow: true }

/**
 * For a FULL run over a set of files that stores no good rows; `undefined` for other runs. If the files of an earlier
 * run are unchanged, and all other files changed after them, the results and bad rows of both runs are merged.
 * `folder`: for the rows that the engine stores.
 */
export function measureNewFiles(
  deps: { engine: DataEngine & KeptRowFiles; documents: Pick<Documents, 'find'>; artifacts: Artifacts },
  { tenant, run, side, folder }: { tenant: string; run: KnownRun; side: OpenSide; folder: string },
): MeasureFiles | undefined {
  const { engine, documents, artifacts } = deps
  const [table, other] = run.tables
  const isWhole = run.executionType === 'FULL' && side.window === undefined && other === undefined
  if (!isWhole || run.configuration.good.store || !isSetOfFiles(side.dataset, table.name)) return undefined

  /** The results that the last run of the same items kept. */
  async function earlier(): Promise<KeptMeasure | undefined> {
    const found = await documents.find(executions, tenant, {
      where: [
        { field: 'policyId', is: run.policy.id },
        { field: 'executionStatus', is: 'SUCCESSFUL' },
      ],
      sort: [
        { field: 'startedAt', direction: 'desc' },
        { field: 'id', direction: 'desc' },
      ],
      size: maxRuns,
    })
    const last = found.documents.find(({ run: { executionType } }) => executionType === 'FULL')
    if (last?.status !== 'succeeded') return undefined
    const text = await artifacts.readText(`${last.result.files.metadata.key}/${measuredFile}`)
    return text === undefined ? undefined : keptMeasure.safeParse(JSON.parse(text)).data
  }

  async function continued(
    before: KeptMeasure,
    { plan, problems }: Parameters<MeasureFiles>[0],
    options: MeasureOptions,
  ): Promise<Awaited<ReturnType<MeasureFiles>> | undefined> {
    const window: Window = { kind: 'files', min: before.mark, inclusive: false, follow: true }
    const part = await measureRun(engine, { plan: { ...plan, window }, problems }, options)
    const { files, partitions, columns, metrics, warnings, rowsScanned, reached } = part.measured
    if (files?.outside !== before.files || partitions === undefined) return undefined
    if (part.problems.size > 0 || JSON.stringify(columns) !== JSON.stringify(before.columns)) return undefined
    const results = mergeResults(plan.metrics, before.results, metrics)
    if (results === undefined) return undefined
    const bad = await joinedRows(deps, { tenant, folder, signal: options.signal }, before.bad, part.measured.bad)
    if (bad === undefined) return undefined
    const measured = {
      ...part.measured,
      ...{ metrics: results, rowsScanned: before.rowsScanned + rowsScanned, bad, reached: null },
      warnings: {
        total: before.warnings.total + warnings.total,
        first: [...before.warnings.first, ...warnings.first].slice(0, maxWarnings),
      },
    }
    const read = { partitions: { ...partitions, reused: partitions.total - partitions.scanned } }
    const kept = keptOf(before.key, measured, files.all, reached ?? before.mark)
    return { measured, problems: part.problems, read: { ...read, ...kept } }
  }

  /** Adds the items of `others`, which read all files. `undefined` if the files have changed since `merged` read them. */
  async function withOthers(
    { measured, read }: Awaited<ReturnType<MeasureFiles>>,
    others: Parameters<MeasureFiles>[0],
    options: MeasureOptions,
  ): Promise<Awaited<ReturnType<MeasureFiles>> | undefined> {
    const timeoutMs = Math.max(1, options.limits.timeoutMs - measured.elapsedMs)
    const plan = { ...others.plan, rows: { ...others.plan.rows, bad: null }, window: everyFile }
    const limits = { ...options.limits, timeoutMs }
    const found = await measureRun(engine, { ...others, plan }, { ...options, limits })
    const { files, columns, rowsScanned, metrics, touched, elapsedMs } = found.measured
    const isSame = files?.all === read.kept?.files && rowsScanned === measured.rowsScanned
    if (!isSame || JSON.stringify(columns) !== JSON.stringify(measured.columns)) return undefined
    const all = {
      ...measured,
      ...{ metrics: [...measured.metrics, ...metrics], touched: [...measured.touched, ...touched] },
      elapsedMs: measured.elapsedMs + elapsedMs,
    }
    return { measured: all, problems: found.problems, read: { ...read, notMerged: notMergedOf(plan, columns) } }
  }

  return async (asked, options) => {
    const { plan, problems } = asked
    const [merging, others] = parted(plan, side.given.columns)
    const canMerge = merging.metrics.length > 0 && !others.metrics.some(storesRowsOf(plan)) && problems.size === 0
    const key = keyOf(merging)
    const before = canMerge ? await earlier() : undefined
    const part = before?.key === key ? await continued(before, { plan: merging, problems }, options) : undefined
    const isAll = others.metrics.length === 0
    const merged = isAll ? part : part && (await withOthers(part, { plan: others, problems }, options))
    if (merged !== undefined) return merged
    const whole = canMerge ? { ...plan, window: everyFile } : plan
    const { measured, problems: found } = await measureRun(engine, { plan: whole, problems }, options)
    const { partitions, files, reached } = measured
    // Types may have changed since the crawl.
    const cannot = notMergedOf(plan, measured.columns)
    const isRetyped = before !== undefined && JSON.stringify(measured.columns) !== JSON.stringify(before.columns)
    const notMerged = isRetyped ? notMergedOf(plan, measured.columns, retyped) : cannot
    const isParted = cannot.every(({ itemId }) => others.metrics.some(({ id }) => id === itemId))
    const isKept = canMerge && isParted && found.size === 0 && files !== undefined && reached !== null
    const ids = new Set(merging.metrics.map(({ id }) => id))
    const ofMerging = { ...measured, metrics: measured.metrics.filter(({ id }) => ids.has(id)) }
    const read = {
      ...(partitions === undefined ? {} : { partitions: { ...partitions, reused: 0 } }),
      ...(notMerged.length === 0 ? {} : { notMerged }),
      ...(isKept ? keptOf(key, ofMerging, files.all, reached) : {}),
    }
    return { measured: { ...measured, reached: null }, problems: found, read }
  }
}

/** The plan with the metrics whose results can be merged, and the plan with the others. Pure. */
function parted(plan: MeasurePlan, columns: Parameters<typeof whyNotMerged>[1]): [MeasurePlan, MeasurePlan] {
  const merges = (metric: Metric) => whyNotMerged(metric, columns) === undefined
  const of = (metrics: Metric[]): MeasurePlan => ({ ...plan, metrics })
  return [of(plan.metrics.filter(merges)), of(plan.metrics.filter((metric) => !merges(metric)))]
}

/**
 * Whether a metric stores rows. One measurement must read all metrics that do, because a row is stored once, with all
 * items that it fails. Pure.
 */
const storesRowsOf =
  ({ rows }: MeasurePlan) =>
  ({ kind }: Metric) =>
    kind === 'rows' && rows.bad !== null

const retyped = 'the columns or their types differ from those of the earlier run'

/** The items whose results over parts of the rows cannot be merged. `otherwise`: the reason for all others. Pure. */
function notMergedOf({ metrics }: MeasurePlan, columns: Parameters<typeof whyNotMerged>[1], otherwise?: string) {
  return metrics.flatMap((metric) => {
    const reason = whyNotMerged(metric, columns) ?? otherwise
    return reason === undefined ? [] : [{ itemId: metric.id, reason }]
  })
}

/** Empty if an item could not be evaluated, because its results over all files are unknown. */
function keptOf(
  key: string,
  { columns, rowsScanned, metrics, warnings }: MeasuredRun['measured'],
  files: string,
  mark: string,
): { kept?: MeasuredFiles } {
  const results = metrics.flatMap((one) => (one.kind === 'error' ? [] : [one]))
  return results.length < metrics.length ? {} : { kept: { key, mark, files, columns, rowsScanned, results, warnings } }
}

/** Equal for plans that measure the same: the fingerprint of a dataset changes with its files. */
function keyOf({ dataset, filter, metrics, rows }: MeasurePlan): string {
  const place = JSON.stringify(dataset, (name, value: unknown) => (name === 'fingerprint' ? undefined : value))
  const what = JSON.stringify([place, filter ?? null, metrics, rows.bad?.format ?? null])
  return createHash('sha256').update(what).digest('hex').slice(0, 32)
}
