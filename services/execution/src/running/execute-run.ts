import type { Artifacts } from '@assay/artifacts'
import type { DataEngine, KeptRowFiles, StartedStatements } from '@assay/data-engine'
import type { Documents } from '@assay/documents'
import { type Clock, isoTime } from '@assay/service-kit'
import type { RunLimits } from '../dependencies.ts'
import type { Execution } from '../execution/execution.ts'
import type { RunProgress, RunResult } from '../execution/run.ts'
import { bySide } from '../execution/sides.ts'
import { readHistories } from '../series/read-histories.ts'
import { readSeasonZone } from '../series/season-zone.ts'
import type { Versions } from '../versions/versions.ts'
import { askEngine } from './ask-engine.ts'
import { keptProfileText, profileStateFile, readBaseline } from './baseline-profile.ts'
import { inSlices } from './in-slices.ts'
import { openRead } from './kept-read.ts'
import { knownProfile } from './known-profile.ts'
import { measureLimits } from './measure-plan.ts'
import { metadataText } from './metadata-text.ts'
import { openRun } from './open-run.ts'
import type { OpenSide } from './open-sides.ts'
import { earlierKeys, resultKeys } from './result-keys.ts'
import { metadataFile, resultLayout } from './result-layout.ts'
import { measuredFile, measuredText, measureNewFiles } from './reused-files.ts'
import { rowsStaged, storeFolders } from './store-folders.ts'

export type RunningExecution = Extract<Execution, { status: 'running' }>

export interface ExecuteRequest {
  tenant: string
  state: RunningExecution
  /** Aborts when work on the run must stop. */
  signal: AbortSignal
  onProgress(progress: RunProgress): void
  /** Long statements at the sources. */
  statements: StartedStatements
  /** Rejects if this worker may have lost the run. Called before results become visible. */
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
 * Plans, measures, judges and stores one run. When it resolves, the artifacts have the results. The event that ends the
 * run follows; after a crash before it, the next attempt removes the files. Throws the errors of the engine and the
 * artifacts, `unprocessable` for a definition that cannot be executed.
 */
export type ExecuteRun = (request: ExecuteRequest) => Promise<ExecutedRun>

const system = { actor: 'system' }

export function createExecuteRun(deps: {
  engine: DataEngine & KeptRowFiles
  documents: Documents
  artifacts: Artifacts
  clock: Clock
  limits: RunLimits
  versions: Versions
}): ExecuteRun {
  const { engine, documents, artifacts, clock, limits, versions } = deps
  return async ({ tenant, state, signal, onProgress, statements, confirm }) => {
    const { fence } = state.claim
    const { run, markKey, sides, opened } = await openRun(deps, tenant, state)
    const profiles = run.definition.profiles?.(opened)
    const baseline = profiles && (await readBaseline({ documents, artifacts }, tenant, run, profiles))
    const given = baseline === undefined ? opened : { ...opened, baseline }
    const asking = {
      tenant,
      policyId: run.policy.id,
      asked: run.definition.lookBacks(given),
      now: Date.parse(run.startedAt),
      timeZone: await readSeasonZone(documents, tenant, { policyId: run.policy.id, assetId: run.tables[0].assetId }),
    }
    const past = await readHistories(documents, asking)
    const stage = await artifacts.stage(tenant)
    try {
      signal.throwIfAborted()
      const rows = rowsStaged(stage.folder)
      const options = { tenant, rows, limits: measureLimits(run.definition, limits), signal, onProgress, statements }
      const step = run.definition.step.bind(undefined, given)
      const profiled = (side: OpenSide) => knownProfile({ documents, artifacts, engine }, run, side, options)
      const measureFiles = measureNewFiles(deps, { tenant, run, side: sides[0], folder: stage.folder })
      const before = state.readFirst && (await openRead(artifacts, state.readFirst.key, stage.folder))
      const asked = await askEngine({ engine, run, sides, options, step, profiled, measureFiles, before })
      const { found, sides: answered, kept, read } = asked
      const { learned, profile, ...judged } = await inSlices(run.definition.judge(given, found, past), signal)
      const layout = resultLayout({ keys: resultKeys(tenant, run, fence), kept, configuration: run.configuration })
      const reachedOf = (index: number) => answered[index]?.reached ?? sides[index]?.given.mark ?? null
      const profileText = profile && keptProfileText(profile)
      const result: RunResult = {
        ...judged,
        files: layout.files,
        sides: bySide(answered, ({ reached: _, ...side }, index) => ({
          ...side,
          ...(sides[index]?.viewSources.length ? { viewSources: [...sides[index].viewSources] } : {}),
          mark: markKey === null ? null : reachedOf(index),
        })),
        ...(read?.partitions === undefined ? {} : { partitions: read.partitions }),
        ...(read?.notMerged === undefined ? {} : { notMerged: read.notMerged }),
        markKey: answered.some((_, index) => reachedOf(index) !== null) ? markKey : null,
        ...(profiles === undefined || profileText === undefined ? {} : { profileScope: profiles.scope }),
        ...(learned === undefined
          ? {}
          : { learned: await versions.keep(tenant, { kind: 'LEARNED', at: run.startedAt, learned }, system) }),
      }
      const finishedAt = isoTime(clock.now())
      const metadata = { name: metadataFile, text: metadataText({ run, finishedAt, result }) }
      const states = [
        ...(profileText === undefined ? [] : [{ name: profileStateFile, text: profileText }]),
        ...(read?.kept === undefined ? [] : [{ name: measuredFile, text: measuredText(read.kept, layout.files.bad) }]),
      ]
      const folders = [...layout.rows, { key: layout.files.metadata.key, files: [metadata, ...states] }]
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
