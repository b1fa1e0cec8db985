import { type SampleAnswer, type SampleData, samplingOperations, withoutValues } from '@assay/contracts'
import type { DataEngine } from '@assay/data-engine'
import type { Documents } from '@assay/documents'
import type { CommandHandler, ReadYourWrites } from '@assay/event-store'
import {
  type Caller,
  type Clock,
  commandContext,
  isoTime,
  type NewId,
  type OpenJob,
  type Route,
  route,
  seenOf,
  type Timers,
} from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import type { RequestedFiles, RequestedWork } from '@assay/work'
import { assetSamplesAggregate, sampleJobs } from '../asset-samples/aggregate.ts'
import type { SampleJob, SampleTarget } from '../asset-samples/asset-samples.ts'
import { answeringJob } from '../asset-samples/decide.ts'
import { findTarget } from '../copies/tables.ts'
import { hiddenReads, masked, maskOf } from '../masking/mask.ts'
import { withTouches } from '../masking/touches.ts'
import { requestedTransforms } from '../transforming/requested-transforms.ts'

const noRows: SampleData = { schema: { fields: [] }, data: [] }

/** Requests samples, and reads their state. `newRequestId`: a UUID that cannot be guessed. */
export function requestingRoutes(deps: {
  commands: CommandHandler
  documents: Documents
  readYourWrites: ReadYourWrites
  stored: RequestedFiles<SampleData>
  worker: RequestedWork
  engine: Pick<DataEngine, 'touches'>
  clock: Clock
  timers: Pick<Timers, 'sleep'>
  newRequestId: NewId
  /** How long rows are reused for further requests. */
  cacheMs: number
}): Route[] {
  const { commands, documents, readYourWrites, stored, worker, clock, cacheMs } = deps

  /** `undefined` if the rows of a succeeded job are gone. */
  async function answerOf(caller: Caller, job: SampleJob): Promise<SampleAnswer | undefined> {
    const { identity } = caller
    const { requestId, target } = job
    const frame = { requestId, executionId: null, errorMsg: null, sampleData: noRows, file: null }
    switch (job.status) {
      case 'open':
        return { ...frame, jobExecutionStatus: 'IN_PROGRESS' }
      case 'failed':
        return { ...frame, jobExecutionStatus: 'FAILED', errorMsg: await errorFor(identity, job) }
      case 'succeeded': {
        // The filter may read a column that was protected since. Transformed columns are masked instead.
        await assertNothingHidden(caller, { ...target, transforms: [] })
        const rows = await stored.read(job.artifact)
        if (rows === undefined) return undefined
        const sampleData = identity.permissions.has('ASSET_PROTECTED_VIEW')
          ? rows
          : masked(rows, await maskOf(documents, identity.tenant, target), target)
        return { ...frame, jobExecutionStatus: 'SUCCESSFUL', sampleData }
      }
      default:
        return job satisfies never
    }
  }

  async function hidesAny({ tenant, permissions }: Caller['identity'], target: SampleTarget): Promise<boolean> {
    if (permissions.has('ASSET_PROTECTED_VIEW')) return false
    const mask = await maskOf(documents, tenant, target)
    return mask === 'all' || mask.columns.size > 0 || mask.nested
  }

  /** The engine's message about a row contains its values. */
  async function errorFor(identity: Caller['identity'], { error, target }: SampleJob & { status: 'failed' }) {
    return (await hidesAny(identity, target)) ? withoutValues(error) : error
  }

  async function assertNothingHidden({ identity: { tenant, permissions } }: Caller, target: SampleTarget) {
    if (permissions.has('ASSET_PROTECTED_VIEW')) return
    const [field] = await hiddenReads(documents, tenant, target)
    if (field === undefined) return
    throw new AssayError('forbidden', `${field}: may read protected columns; that requires ASSET_PROTECTED_VIEW.`)
  }

  /** Counts one more open job of the caller, or returns why none is allowed. */
  function admitted({ identity: { tenant, accessKey } }: Caller): { job?: OpenJob; refusal?: unknown } {
    try {
      return { job: worker.admit({ tenant, accessKey }) }
    } catch (refusal) {
      return { refusal }
    }
  }

  return [
    route(samplingOperations.requestAssetSample, async (call) => {
      const { tenant, user: by } = call.identity
      const { id } = call.params
      await readYourWrites(seenOf(call, 'catalog'))
      const found = await findTarget(documents, tenant, id)
      if (!found)
        throw new AssayError('not-found', `There is no table, view, file or column with the id ${id} to sample.`)
      const asked = call.body.transformUDFs ?? []
      const requested = await requestedTransforms(deps, { tenant, tableId: found.tableId }, asked)
      const filter = call.body.filter?.trim() || undefined
      const sql = { transforms: requested, filter }
      const asking = { tenant, key: call.identity.accessKey, signal: call.signal }
      const { transforms, ...filtered } = await withTouches(deps.engine, sql, asking)
      const target = {
        ...found,
        ...(transforms.length === 0 ? {} : { transforms }),
        ...(filter === undefined ? {} : { filter, ...filtered }),
      }
      await assertNothingHidden(call, target)
      const request = async (invalidateCache: boolean) => {
        const now = clock.now()
        const at = isoTime(now)
        const cachedAfter = invalidateCache ? null : isoTime(now - cacheMs)
        const requestId = deps.newRequestId()
        const { job: counted, refusal } = admitted(call)
        // Cached rows and running jobs answer a caller who may not start one.
        const mayBegin = counted !== undefined
        const command = { type: 'RequestSample' as const, requestId, target, at, by, cachedAfter, mayBegin }
        const context = commandContext(call)
        try {
          const { state } = await commands.handle(assetSamplesAggregate, { tenant, id, command, context })
          const job = answeringJob(state, { cachedAfter, target })
          if (!job) throw refusal ?? new AssayError('internal', 'A request for a sample started no job.')
          const isOwn = job.requestId === requestId
          const candidate = { tenant, id: job.requestId, startedAt: job.requestedAt }
          if (job.status === 'open') worker.take(candidate, isOwn ? counted : undefined)
          if (!isOwn) counted?.end()
          const body = await answerOf(call, job)
          return body && { body }
        } catch (error) {
          counted?.end()
          throw error
        }
      }
      // If somebody has removed the rows from the result folder, they do not count as cached.
      const answer = (await request(call.body.invalidateCache ?? false)) ?? (await request(true))
      if (!answer)
        throw new AssayError('unavailable', 'The rows were removed while they were read. Request them again.')
      return answer
    }),
    route(samplingOperations.getAssetSampleResult, async (call) => {
      const found = await documents.get(sampleJobs, call.identity.tenant, call.params.requestId)
      if (found) await readYourWrites(seenOf(call, 'catalog'))
      const body = found && (await answerOf(call, found.document))
      if (!body) {
        throw noJob()
      }
      worker.asked(call.params.requestId)
      return { body }
    }),
    route(samplingOperations.cancelAssetSample, async (call) => {
      const { tenant, user } = call.identity
      const { requestId } = call.params
      const found = await documents.get(sampleJobs, tenant, requestId)
      if (!found) throw noJob()
      const { assetId: id } = found.document.target
      const error = `The sample was cancelled by ${user}.`
      const command = { type: 'CancelSample' as const, requestId, at: isoTime(clock.now()), error }
      const context = commandContext(call)
      const { state, events } = await commands.handle(assetSamplesAggregate, { tenant, id, command, context })
      if (events.length === 0) throw new AssayError('unprocessable', 'The sample has already finished.')
      worker.cancel(tenant, requestId)
      const job = state.jobs.find((each) => each.requestId === requestId)
      const body = job && (await answerOf(call, job))
      if (!body) throw noJob()
      return { body }
    }),
  ]
}

function noJob(): AssayError {
  return new AssayError('not-found', 'There is no sample job with this request id, or it is no longer kept.')
}
