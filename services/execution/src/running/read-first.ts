import type { Artifacts } from '@assay/artifacts'
import type { DataEngine, Progress, TakenRows } from '@assay/data-engine'
import type { Documents } from '@assay/documents'
import type { RunRequest } from '@assay/reliability'
import { type Clock, isoTime } from '@assay/service-kit'
import type { RunLimits } from '../dependencies.ts'
import { type ExecutionState, hasEnded } from '../execution/execution.ts'
import type { Versions } from '../versions/versions.ts'
import { type Answer, type Asks, ask, openSide } from './ask-engine.ts'
import type { ExecuteRequest } from './execute-run.ts'
import { answersFile, readText, takenFile } from './kept-read.ts'
import { measureLimits, takePlan } from './measure-plan.ts'
import { assertSameRows, namingSide } from './of-side.ts'
import { openRun } from './open-run.ts'
import { earlierReads, readFirstKey } from './result-keys.ts'
import { rowsStaged, storeFolders } from './store-folders.ts'

const minuteMs = 60_000

/** What a run has read before it waits. */
export interface ReadSide {
  /** The key of the folder that keeps it. */
  key: string
  /** When the other side may be read, ISO 8601 UTC. */
  until: string
  /** Removes the folder. */
  discard(): Promise<void>
}

/**
 * Reads and keeps the left side of a run that then waits. `undefined` for runs that do not wait, or have waited.
 * Errors: those of `ExecuteRun`.
 */
export type ReadFirst = (request: ExecuteRequest) => Promise<ReadSide | undefined>

export function createReadFirst(deps: {
  engine: DataEngine
  documents: Documents
  artifacts: Artifacts
  clock: Clock
  limits: RunLimits
  versions: Versions
}): ReadFirst {
  const { engine, artifacts, clock, limits, versions } = deps
  return async ({ tenant, state, signal, onProgress, statements, confirm }) => {
    if (state.readFirst !== undefined) return undefined
    const { delayMinutes = 0 } = (await versions.of(tenant, state)).run.definition
    if (delayMinutes === 0) return undefined
    const { run, sides, opened } = await openRun(deps, tenant, state)
    const stage = await artifacts.stage(tenant)
    try {
      signal.throwIfAborted()
      const rows = rowsStaged(stage.folder)
      const options = { tenant, rows, limits: measureLimits(run.definition, limits), signal, onProgress, statements }
      const asks = { engine, run, sides, options, profiled: async () => undefined, measureFiles: undefined }
      const requests = run.definition.step(opened, [])
      const { answers, taken } = await readLeft(asks, requests)
      const { fence } = state.claim
      const key = readFirstKey(tenant, run, fence)
      const rowsFile = taken === undefined ? [] : [{ name: takenFile, from: taken.file }]
      const folders = [{ key, files: [...rowsFile, { name: answersFile, text: readText(answers, taken) }] }]
      await confirm()
      const stale = earlierReads(tenant, run, fence)
      await storeFolders({ artifacts, tenant, from: stage.folder, folders, stale })
      const until = isoTime(clock.now() + delayMinutes * minuteMs)
      return { key, until, discard: () => artifacts.remove(key) }
    } finally {
      await stage.discard()
    }
  }
}

/** Asks the requests to the left side, one at a time. All of them together may take the time of a run. */
async function readLeft(
  { options, ...asks }: Asks,
  requests: readonly RunRequest[],
): Promise<{ answers: Map<number, Answer>; taken?: TakenRows }> {
  const answers = new Map<number, Answer>()
  let taken: TakenRows | undefined
  let { timeoutMs } = options.limits
  for (const [index, request] of requests.entries()) {
    if (request.kind !== 'COMPARE' && request.side !== 'LEFT') continue
    const onProgress = ({ stage, fraction }: Progress) =>
      options.onProgress({ stage, fraction: fraction === null ? null : (index + fraction) / requests.length })
    const own = { ...options, limits: { ...options.limits, timeoutMs: Math.max(1, timeoutMs) }, onProgress }
    if (request.kind === 'COMPARE') {
      taken = await namingSide('LEFT', asks.engine.take(takePlan(request, openSide(asks, 'LEFT')), own))
      timeoutMs -= taken.elapsedMs
    } else {
      const answer = await namingSide('LEFT', ask({ ...asks, options: own }, request, false))
      timeoutMs -= answer.engineMs
      answers.set(index, answer)
    }
  }
  const reports = [...answers.values()].flatMap(({ sides }) => sides)
  assertSameRows(taken === undefined ? reports : [...reports, { side: 'LEFT', rowsScanned: taken.rows }])
  return { answers, ...(taken === undefined ? {} : { taken }) }
}

/** Removes what an ended run read before it waited. If this fails, the retention removes it. */
export async function forgetRead(artifacts: Pick<Artifacts, 'remove'>, state: ExecutionState): Promise<void> {
  if (hasEnded(state) && state.readFirst !== undefined)
    await artifacts.remove(state.readFirst.key).catch(() => undefined)
}
