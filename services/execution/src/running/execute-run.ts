import type { Artifacts } from '@assay/artifacts'
import { type DataEngine, datasetLocator, rowsInto } from '@assay/data-engine'
import type { Documents } from '@assay/documents'
import type { RunGiven } from '@assay/reliability'
import { type Clock, isoTime } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { executionTables } from '../copies/tables.ts'
import type { RunLimits } from '../dependencies.ts'
import type { Execution } from '../execution/execution.ts'
import type { RunProgress, RunResult } from '../execution/run.ts'
import { findReferences } from '../references/find-references.ts'
import { readHistories } from '../series/read-histories.ts'
import type { Versions } from '../versions/versions.ts'
import { lastMarks } from './last-marks.ts'
import { measureLimits, measurePlan } from './measure-plan.ts'
import { measureRun } from './measure-run.ts'
import { metadataText } from './metadata-text.ts'
import { earlierKeys, resultKeys } from './result-keys.ts'
import { metadataFile, resultLayout } from './result-layout.ts'
import { markKeyOf, windowOf } from './run-window.ts'
import { storeFolders } from './store-folders.ts'

export type RunningExecution = Extract<Execution, { status: 'running' }>

export interface ExecuteRequest {
  tenant: string
  state: RunningExecution
  /** Aborts when the run is no longer to be worked on. */
  signal: AbortSignal
  onProgress(progress: RunProgress): void
  /** Rejects when the run may no longer be this worker's. Asked before results become visible. */
  confirm(): Promise<void>
}

export interface ExecutedRun {
  result: RunResult
  /** ISO 8601 UTC. */
  finishedAt: string
  /** Removes the stored results. */
  discard(): Promise<void>
}

/**
 * Plans, measures, judges and stores one run. Results are visible in the artifacts when it resolves, before anybody is
 * told of the end: a crash in between leaves files that the next attempt removes. Errors: those of the engine and the
 * artifacts, `unprocessable` for a definition that cannot be carried out.
 */
export type ExecuteRun = (request: ExecuteRequest) => Promise<ExecutedRun>

export function createExecuteRun(deps: {
  engine: DataEngine
  documents: Documents
  artifacts: Artifacts
  clock: Clock
  limits: RunLimits
  versions: Versions
}): ExecuteRun {
  const { engine, documents, artifacts, clock, limits, versions } = deps
  return async ({ tenant, state, signal, onProgress, confirm }) => {
    const { run } = await versions.of(tenant, state)
    const { fence } = state.claim
    // Where it lies now: it may have been moved since the run was accepted.
    const copy = await documents.get(executionTables, tenant, run.table.assetId)
    const locator = datasetLocator.safeParse(copy?.document.table.locator)
    if (!locator.success) {
      throw new AssayError('unprocessable', `Table ${run.table.uid} cannot be opened; crawl its assembly again.`)
    }
    const key = markKeyOf(run)
    const marks = await lastMarks(documents, tenant, run.policy.id, key)
    const mark = marks.get(run.table.side) ?? null
    const window = windowOf(run, { dataset: locator.data, mark })
    const references = await findReferences(
      documents,
      tenant,
      run.table,
      run.definition.needs(run.table.side, run.itemSelection),
    )
    const { side, assetId, columns } = run.table
    const given: RunGiven = { ...run, markKey: key, sides: [{ side, assetId, columns, references, mark }] }
    const { requests, lookBacks } = run.definition.plan(given)
    const [request] = requests
    const asking = { tenant, policyId: run.policy.id, asked: lookBacks, now: Date.parse(run.startedAt) }
    const past = await readHistories(documents, asking)
    const plan = measurePlan(run, request, { dataset: locator.data, window })
    const stage = await artifacts.stage(tenant)
    try {
      signal.throwIfAborted()
      const rows = rowsInto(stage.folder)
      const options = { tenant, rows, limits: measureLimits(run.definition, limits), signal, onProgress }
      const { measured, problems } = await measureRun(engine, { plan, problems: request.problems }, options)
      const { rowsScanned } = measured
      const found = { results: [...measured.metrics, ...request.known], problems, rowsScanned }
      const judged = run.definition.judge(given, [found], past)
      const reached = measured.reached ?? mark
      const layout = resultLayout({ keys: resultKeys(tenant, run, fence), measured, configuration: run.configuration })
      const result: RunResult = {
        ...judged,
        files: layout.files,
        sides: [
          {
            side,
            rowsScanned,
            mark: key === null ? null : reached,
            warnings: measured.warnings,
            engineMs: measured.elapsedMs,
          },
        ],
        markKey: reached === null ? null : key,
        touched: measured.touched.map(({ metric: itemId, touched }) => ({ itemId, ...touched })),
      }
      const finishedAt = isoTime(clock.now())
      const metadata = { name: metadataFile, text: metadataText({ run, finishedAt, result }) }
      const folders = [...layout.rows, { key: layout.files.metadata.key, files: [metadata] }]
      await confirm()
      const stale = earlierKeys(tenant, run, fence)
      await storeFolders({ artifacts, tenant, from: stage.folder, folders, stale })
      const discard = async () => {
        for (const { key } of folders) await artifacts.remove(key)
      }
      return { result, finishedAt, discard }
    } finally {
      await stage.discard()
    }
  }
}
