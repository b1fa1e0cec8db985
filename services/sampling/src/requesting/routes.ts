import { type SampleAnswer, type SampleData, samplingOperations } from '@assay/contracts'
import type { Documents } from '@assay/documents'
import type { CommandHandler, Followed } from '@assay/event-store'
import { type Clock, isoTime, type NewId, type Route, route } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { assetSamplesAggregate, sampleJobs } from '../asset-samples/aggregate.ts'
import type { AssetSamples, SampleJob } from '../asset-samples/asset-samples.ts'
import { answeringJob } from '../asset-samples/decide.ts'
import { commandContext } from '../calls.ts'
import { findTarget, samplingTables } from '../copies/tables.ts'
import type { StoredSamples } from '../rows/stored-sample.ts'
import type { SampleWorker } from '../sampling/worker.ts'

const noRows: SampleData = { schema: { fields: [] }, data: [] }

/** Asking for a sample, and reading what became of it. `newRequestId`: a UUID that cannot be guessed. */
export function requestingRoutes(deps: {
  commands: CommandHandler
  documents: Documents
  tables: Followed
  stored: StoredSamples
  worker: SampleWorker
  clock: Clock
  newRequestId: NewId
}): Route[] {
  const { commands, documents, tables, stored, worker, clock } = deps

  /** `undefined` when the rows of a succeeded job are gone. */
  async function answerOf(job: SampleJob): Promise<SampleAnswer | undefined> {
    const { requestId } = job
    const frame = { requestId, executionId: null, errorMsg: null, sampleData: noRows }
    switch (job.status) {
      case 'open':
        return { ...frame, jobExecutionStatus: 'IN_PROGRESS' }
      case 'failed':
        return { ...frame, jobExecutionStatus: 'FAILED', errorMsg: job.error }
      case 'succeeded': {
        const rows = await stored.read(job.artifact)
        return rows && { ...frame, jobExecutionStatus: 'SUCCESSFUL', sampleData: rows }
      }
      default:
        return job satisfies never
    }
  }

  return [
    route(samplingOperations.requestAssetSample, async (call) => {
      const { tenant, user: by } = call.identity
      const { id } = call.params
      const look = async () => (await documents.get(samplingTables, tenant, id))?.document.position
      await tables.reach({ tenant, seen: call.seen.get('catalog'), look, signal: call.signal })
      const target = await findTarget(documents, tenant, id)
      if (!target) {
        throw new AssayError('not-found', `There is no table, view, file or column with the id ${id} to sample.`)
      }
      const request = async (invalidateCache: boolean) => {
        const at = isoTime(clock.now())
        const requestId = deps.newRequestId()
        const command = { type: 'RequestSample' as const, requestId, target, at, by, invalidateCache }
        const context = commandContext(call)
        const { state, position } = await commands.handle(assetSamplesAggregate, { tenant, id, command, context })
        const job = answeringOf(state, { at, invalidateCache })
        if (job.status === 'open') worker.take({ tenant, requestId: job.requestId, target: job.target })
        const body = await answerOf(job)
        return body && { body, position }
      }
      // Rows that somebody removed from the result folder are rows that are not cached.
      const answer = (await request(call.body.invalidateCache ?? false)) ?? (await request(true))
      if (!answer) throw new AssayError('unavailable', 'The rows were removed while they were read; ask again.')
      return answer
    }),
    route(samplingOperations.getAssetSampleResult, async (call) => {
      const found = await documents.get(sampleJobs, call.identity.tenant, call.params.requestId)
      const body = found && (await answerOf(found.document))
      if (!body) {
        throw new AssayError('not-found', 'There is no sample job with this request id, or it is no longer kept.')
      }
      return { body, position: found.source.position }
    }),
  ]
}

/** After a request there always is one: its own at the latest. */
function answeringOf(state: AssetSamples, request: { at: string; invalidateCache: boolean }): SampleJob {
  const job = answeringJob(state, request)
  if (!job) throw new AssayError('internal', 'A request for a sample began no job.')
  return job
}
