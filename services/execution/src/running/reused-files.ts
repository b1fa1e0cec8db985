import { createHash } from 'node:crypto'
import type { Artifacts } from '@assay/artifacts'
import { type DataEngine, isSetOfFiles, type KeptRowFiles, type MeasurePlan, type Window } from '@assay/data-engine'
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

  return async (asked, options) => {
    const { plan, problems } = asked
    const canMerge = notMergedOf(plan, side.given.columns).length === 0 && problems.size === 0
    const key = keyOf(plan)
    const before = canMerge ? await earlier() : undefined
    const merged = before?.key === key ? await continued(before, asked, options) : undefined
    if (merged !== undefined) return merged
    const whole = canMerge ? { ...plan, window: everyFile } : plan
    const { measured, problems: found } = await measureRun(engine, { plan: whole, problems }, options)
    const { partitions, files, reached } = measured
    // Types may have changed since the crawl.
    const cannot = notMergedOf(plan, measured.columns)
    const isRetyped = before !== undefined && JSON.stringify(measured.columns) !== JSON.stringify(before.columns)
    const notMerged = isRetyped ? notMergedOf(plan, measured.columns, retyped) : cannot
    const isKept = canMerge && cannot.length === 0 && found.size === 0 && files !== undefined && reached !== null
    const read = {
      ...(partitions === undefined ? {} : { partitions: { ...partitions, reused: 0 } }),
      ...(notMerged.length === 0 ? {} : { notMerged }),
      ...(isKept ? keptOf(key, measured, files.all, reached) : {}),
    }
    return { measured: { ...measured, reached: null }, problems: found, read }
  }
}

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
