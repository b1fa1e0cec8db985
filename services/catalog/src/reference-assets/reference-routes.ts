import { type BodyOf, referenceAssetOperations as operations, referenceDenied } from '@assay/contracts'
import { type Documents, findPage } from '@assay/documents'
import type { CommandHandler, JsonValue, NumberBlocks } from '@assay/event-store'
import { type Clock, isoTime, type NewId, type Route, route } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { createAdmission, type Worker } from '@assay/work'
import { contextOf } from '../assemblies/assembly-routes.ts'
import { type AssetDocument, assets } from '../asset/collections.ts'
import { assetConfigurationAggregate, assetConfigurations } from '../asset-configuration/aggregate.ts'
import { assetReferenceAggregate, referenceJobs, referenceWork } from '../asset-reference/aggregate.ts'
import { configurationAnswer } from '../configuring/configuration-answer.ts'
import { sourceTypeOf } from '../types/source-types.ts'
import { rowsOf } from './measure-asset.ts'
import {
  type ReferenceConfiguration,
  referenceConfigurationOf,
  referenceJobRecord,
  referenceStatusOf,
} from './reference-records.ts'

type Call = Parameters<typeof contextOf>[0]

function noJob(): AssayError {
  return new AssayError('not-found', 'There is no such job.')
}

/** Reference assets, and the jobs that measure data against them. */
export function referenceRoutes(deps: {
  handler: CommandHandler
  documents: Documents
  numbers: NumberBlocks
  clock: Clock
  newId: NewId
  worker: Worker
}): Route[] {
  const { handler, documents, numbers, clock, newId, worker } = deps
  const admit = createAdmission({ documents, kind: referenceWork, what: 'reference validations' })

  async function assetOfUid(tenant: string, uid: string): Promise<AssetDocument> {
    const { documents: found } = await documents.find(assets, tenant, { where: [{ field: 'uid', is: uid }], size: 1 })
    if (found[0] === undefined) throw new AssayError('forbidden', referenceDenied)
    return found[0]
  }

  async function requireReference(tenant: string, asset: AssetDocument, referenceAssetId: number): Promise<void> {
    if (referenceAssetId === asset.id)
      throw new AssayError('invalid', 'referenceAssetId: must be another asset; omit it to use a baseline.')
    await rowsOf(documents, tenant, referenceAssetId).catch((cause: unknown) => {
      if (!(cause instanceof AssayError)) throw cause
      throw new AssayError('invalid', 'referenceAssetId: must be an existing table, view or file.', { cause })
    })
  }

  /** An asset that others are compared with is a reference. Repeating it changes nothing. */
  async function markReference(call: Call, assetId: number): Promise<void> {
    const { tenant } = call.identity
    const context = contextOf(call)
    const { state } = await handler.load(assetConfigurationAggregate, tenant, assetId)
    if (state.settings.isUserMarkedReference === true) return
    const asset = (await documents.get(assets, tenant, assetId))?.document
    if (asset === undefined) return
    const of = { assetId, uid: asset.uid, at: isoTime(clock.now()), by: context.actor }
    const command = { type: 'ConfigureAsset', ...of, settings: { isUserMarkedReference: true } } as const
    await handler.handle(assetConfigurationAggregate, { tenant, id: assetId, command, context })
  }

  async function submit(call: Call, asset: AssetDocument, configuration: ReferenceConfiguration): Promise<void> {
    const { tenant } = call.identity
    const context = contextOf(call)
    const { referenceAssetId, maxRowCount, timeOutMilliseconds } = configuration
    const [jobId = 0] = await numbers.take(tenant, 'reference-job')
    const command = {
      type: 'SubmitJob',
      assetId: asset.id,
      uid: asset.uid,
      jobId,
      at: isoTime(clock.now()),
      by: context.actor,
      requestId: newId(),
      assetName: asset.name,
      sourceType: sourceTypeOf(asset.sourceTypeId).name,
      referenceAssetId,
      limits: { maxRowCount, timeOutMilliseconds },
    } as const
    const { events } = await handler.handle(assetReferenceAggregate, { tenant, id: asset.id, command, context })
    if (events.length > 0) worker.take({ tenant, id: String(jobId), startedAt: command.at })
  }

  async function configure(call: Call, asset: AssetDocument, body: BodyOf<typeof operations.configureReference>) {
    const { tenant } = call.identity
    const context = contextOf(call)
    const { id, uid } = asset
    const isReference = body.isReference ?? true
    const { state: before } = await handler.load(assetConfigurationAggregate, tenant, id)
    const known = referenceConfigurationOf(before.settings)
    const next: ReferenceConfiguration = {
      isReference,
      referenceAssetId: body.referenceAssetId ?? (isReference ? known.referenceAssetId : null),
      maxRowCount: body.maxRowCount ?? known.maxRowCount,
      timeOutMilliseconds: body.timeOutMilliseconds ?? known.timeOutMilliseconds,
    }
    if (body.referenceAssetId !== undefined) await requireReference(tenant, asset, body.referenceAssetId)
    if (isReference || body.validateNow) await rowsOf(documents, tenant, id)
    if (body.validateNow && !next.isReference && next.referenceAssetId === null)
      throw new AssayError(
        'unprocessable',
        'There is nothing to measure against. Set isReference to true, or give a referenceAssetId.',
      )
    const { maxRowCount, timeOutMilliseconds, referenceAssetId } = next
    const settings: Record<string, JsonValue> = {
      isUserMarkedReference: isReference,
      referenceAssetId,
      referenceCheckConfiguration: { maxRowCount, timeOutMilliseconds },
    }
    const of = { assetId: id, uid, at: isoTime(clock.now()), by: context.actor }
    const command = { type: 'ConfigureAsset', ...of, settings } as const
    const admitted = body.validateNow ? await admit(tenant) : undefined
    try {
      // First, so that a repetition after a failure in between marks it, too.
      if (body.referenceAssetId !== undefined) await markReference(call, body.referenceAssetId)
      const written = await handler.handle(assetConfigurationAggregate, { tenant, id, command, context })
      if (body.validateNow) await submit(call, asset, next)
      return written.state
    } finally {
      admitted?.end()
    }
  }

  return [
    route(operations.listReferenceAssets, async (call) => {
      const { tenant } = call.identity
      const { page, size, sortBy } = call.query
      const { documents: found, count } = await findPage(documents, call, assetConfigurations, {
        tenant,
        where: [{ field: 'hasReference', is: true }],
        sort: [{ field: 'id', direction: sortBy?.direction ?? 'asc' }],
        page,
        size,
      })
      const ids = found.map(({ assetId }) => assetId)
      const named =
        ids.length === 0
          ? []
          : (await documents.find(assets, tenant, { where: [{ field: 'id', in: ids }], size: ids.length })).documents
      const assetOf = new Map(named.map((asset) => [asset.id, asset]))
      const data = await Promise.all(
        found.map(async ({ assetId, settings }) => ({
          assetId,
          assetUid: assetOf.get(assetId)?.uid ?? '',
          assetName: assetOf.get(assetId)?.name ?? '',
          referenceConfiguration: referenceConfigurationOf(settings),
          lastJob: (await referenceStatusOf(documents, tenant, assetId)).lastJob,
        })),
      )
      return { body: { data, meta: { count, page, size } } }
    }),
    route(operations.listReferenceJobs, async (call) => {
      const { page, size, sortBy } = call.query
      const { documents: found, count } = await findPage(documents, call, referenceJobs, {
        tenant: call.identity.tenant,
        sort: [sortBy ?? { field: 'id', direction: 'desc' }],
        page,
        size,
      })
      return { body: { data: found.map(referenceJobRecord), meta: { count, page, size } } }
    }),
    route(operations.cancelReferenceJob, async (call) => {
      const { tenant } = call.identity
      const context = contextOf(call)
      if (!/^[1-9]\d{0,14}$/.test(call.params.jobId)) throw noJob()
      const jobId = Number(call.params.jobId)
      const known = (await documents.get(referenceJobs, tenant, jobId))?.document
      if (known === undefined) throw noJob()
      const command = { type: 'CancelJob', jobId, at: isoTime(clock.now()), by: context.actor } as const
      const request = { tenant, id: known.assetId, command, context }
      const { state } = await handler.handle(assetReferenceAggregate, request)
      worker.cancelled(tenant, String(jobId))
      const job = state.jobs.find(({ id }) => id === jobId)
      if (job === undefined) throw noJob()
      return { body: { data: referenceJobRecord(job) } }
    }),
    route(operations.configureReference, async (call) => {
      const { tenant } = call.identity
      const asset = await assetOfUid(tenant, call.params.uid)
      const state = await configure(call, asset, call.body)
      return { body: await configurationAnswer(documents, tenant, asset, state) }
    }),
  ]
}
