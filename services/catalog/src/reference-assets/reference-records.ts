import { type ReferenceAsset, type ReferenceJob, withoutValues } from '@assay/contracts'
import type { Documents } from '@assay/documents'
import type { JsonObject, JsonValue } from '@assay/event-store'
import type { Settings } from '../asset-configuration/asset-configuration.ts'
import { type ReferenceJobDocument, referenceJobs } from '../asset-reference/aggregate.ts'

/** Default limits of a job. */
const defaultLimits = { maxRowCount: 100_000, timeOutMilliseconds: 300_000 }

export type ReferenceConfiguration = ReferenceAsset['referenceConfiguration']

function positive(value: unknown, otherwise: number): number {
  return typeof value === 'number' && value > 0 ? value : otherwise
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}

/** The reference part of an asset's settings. */
export function referenceConfigurationOf(settings: Settings): ReferenceConfiguration {
  const { isUserMarkedReference, referenceAssetId, referenceCheckConfiguration } = settings
  const limits = isObject(referenceCheckConfiguration) ? referenceCheckConfiguration : {}
  return {
    isReference: isUserMarkedReference === true,
    referenceAssetId: typeof referenceAssetId === 'number' ? referenceAssetId : null,
    maxRowCount: positive(limits.maxRowCount, defaultLimits.maxRowCount),
    timeOutMilliseconds: positive(limits.timeOutMilliseconds, defaultLimits.timeOutMilliseconds),
  }
}

/** The record of a job. */
export function referenceJobRecord(job: ReferenceJobDocument): ReferenceJob {
  const { id, assetId, uid, assetName, sourceType, status, limits, result, requestId, error } = job
  const { startedAt, finishedAt, createdAt, updatedAt } = job
  return {
    id,
    assetId,
    assetUid: uid,
    assetName,
    assetSourceType: sourceType,
    executionMode: 'MANUAL',
    executionStatus: status,
    jobState: null,
    referenceCheckConfiguration: limits,
    jobResult: result,
    requestId,
    errorMessage: error === null ? null : withoutValues(error),
    autoReferenceValidationId: null,
    autoReferenceValidationExecutionId: null,
    analysisServiceJob: null,
    startedAt,
    finishedAt,
    lastHealthUpdateAt: null,
    createdAt,
    updatedAt,
  }
}

/** The newest job of an asset, and whether the last verdict was successful. */
export async function referenceStatusOf(documents: Documents, tenant: string, assetId: number) {
  const newest = async (executionStatus?: string) => {
    const { documents: found } = await documents.find(referenceJobs, tenant, {
      where: [
        { field: 'assetId', is: assetId },
        ...(executionStatus === undefined ? [] : [{ field: 'executionStatus', is: executionStatus }]),
      ],
      sort: [{ field: 'id', direction: 'desc' }],
      size: 1,
    })
    return found[0]
  }
  const last = await newest()
  const judged = last === undefined || last.status === 'SUCCESSFUL' ? last : await newest('SUCCESSFUL')
  return {
    lastJob: last === undefined ? null : referenceJobRecord(last),
    isValid: judged?.result !== undefined && judged.result !== null && judged.result.status !== 'ERRORED',
  }
}
