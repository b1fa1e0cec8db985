import type { Artifacts } from '@assay/artifacts'
import type { DataEngine, Progress } from '@assay/data-engine'
import type { Documents } from '@assay/documents'
import type { RunRequest } from '@assay/reliability'
import { type Clock, isoTime } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import type { RunLimits } from '../dependencies.ts'
import { type ExecutionState, hasEnded } from '../execution/execution.ts'
import type { Versions } from '../versions/versions.ts'
import { type Answer, ask } from './ask-engine.ts'
import type { ExecuteRequest } from './execute-run.ts'
import { answersOf, answersText } from './kept-answers.ts'
import { measureLimits } from './measure-plan.ts'
import { namingSide } from './of-side.ts'
import { openRun } from './open-run.ts'
import { earlierReads, readFirstKey } from './result-keys.ts'
import { rowsStaged, storeFolders } from './store-folders.ts'

const answersFile = 'answers.json'
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
  return async ({ tenant, state, signal, onProgress, confirm }) => {
    if (state.readFirst !== undefined) return undefined
    const { delayMinutes = 0 } = (await versions.of(tenant, state)).run.definition
    if (delayMinutes === 0) return undefined
    const { run, sides, opened } = await openRun(deps, tenant, state)
    const stage = await artifacts.stage(tenant)
    try {
      signal.throwIfAborted()
      const rows = rowsStaged(stage.folder)
      const options = { tenant, rows, limits: measureLimits(run.definition, limits), signal, onProgress }
      const asks = { engine, run, sides, options, profiled: async () => undefined, measureFiles: undefined }
      const requests = run.definition.step(opened, [])
      const answers = await inTurn(requests, options, (request, given) =>
        namingSide('LEFT', ask({ ...asks, options: given }, request, false)),
      )
      const { fence } = state.claim
      const key = readFirstKey(tenant, run, fence)
      const folders = [{ key, files: [{ name: answersFile, text: answersText(answers) }] }]
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
async function inTurn<Options extends { limits: { timeoutMs: number }; onProgress: (progress: Progress) => void }>(
  requests: readonly RunRequest[],
  options: Options,
  askOne: (request: RunRequest, options: Options) => Promise<Answer>,
): Promise<Map<number, Answer>> {
  const answers = new Map<number, Answer>()
  let { timeoutMs } = options.limits
  for (const [index, request] of requests.entries()) {
    if (request.kind === 'COMPARE' || request.side !== 'LEFT') continue
    const onProgress = ({ stage, fraction }: Progress) =>
      options.onProgress({ stage, fraction: fraction === null ? null : (index + fraction) / requests.length })
    const limits = { ...options.limits, timeoutMs: Math.max(1, timeoutMs) }
    const answer = await askOne(request, { ...options, limits, onProgress })
    timeoutMs -= answer.engineMs
    answers.set(index, answer)
  }
  return answers
}

/** Removes what an ended run read before it waited. If this fails, the retention removes it. */
export async function forgetRead(artifacts: Pick<Artifacts, 'remove'>, state: ExecutionState): Promise<void> {
  if (hasEnded(state) && state.readFirst !== undefined)
    await artifacts.remove(state.readFirst.key).catch(() => undefined)
}

/** The answers that a run kept before it waited. Error: `unprocessable` if they are gone. */
export async function readAnswers(
  artifacts: Pick<Artifacts, 'readText'>,
  key: string,
): Promise<ReadonlyMap<number, Answer>> {
  const text = await artifacts.readText(`${key}/${answersFile}`)
  if (text !== undefined) return answersOf(text)
  const sentence = 'What the run read of the left table before it waited was removed. Start the run again.'
  throw new AssayError('unprocessable', sentence)
}
