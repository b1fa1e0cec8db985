import { z } from 'zod'
import { pagingQuery } from '../http/paging.ts'
import {
  referenceAssetList,
  referenceConfigurationRequest,
  referenceConfigured,
  referenceDenied,
  referenceJob,
  referenceJobList,
} from '../records/reference-asset.ts'
import { operation } from './operation.ts'
import { none } from './shapes.ts'

const base = '/catalog-server/api/assets'
const catalog = { service: 'catalog', params: none, query: none } as const

export const listReferenceAssets = operation({
  ...catalog,
  id: 'listReferenceAssets',
  method: 'GET',
  path: `${base}/reference-assets`,
  permissions: ['ASSET_VIEW'],
  summary: 'Lists the assets that are references or have a reference, each with its last job.',
  query: z.object(pagingQuery(['assetId'])),
  answer: referenceAssetList,
  errors: [],
})
export const listReferenceJobs = operation({
  ...catalog,
  id: 'listReferenceJobs',
  method: 'GET',
  path: `${base}/reference-assets/jobs`,
  permissions: ['ASSET_VIEW'],
  summary: 'Lists the reference jobs, newest first. The last 100 of an asset are kept.',
  query: z.object(pagingQuery(['id', 'assetId', 'createdAt', 'updatedAt', 'executionStatus'])),
  answer: referenceJobList,
  errors: [],
})
export const cancelReferenceJob = operation({
  ...catalog,
  id: 'cancelReferenceJob',
  method: 'PUT',
  path: `${base}/reference-assets/jobs/{jobId}/cancel`,
  permissions: ['ASSET_VIEW', 'ASSET_CONFIGURATION_MODIFY'],
  summary: 'Cancels a reference job.',
  params: z.object({ jobId: z.string().min(1) }),
  answer: z.object({ data: referenceJob }),
  errors: [404, 422],
})
export const configureReference = operation({
  ...catalog,
  id: 'updateReferenceConfigurationByUid',
  method: 'PUT',
  path: `${base}/byUid/{uid}/config/reference-configuration`,
  permissions: ['ASSET_VIEW', 'ASSET_CONFIGURATION_MODIFY'],
  denied: referenceDenied,
  summary: 'Makes an asset a reference, or sets its reference; `validateNow` starts a job that measures the asset.',
  params: z.object({ uid: z.string().min(1) }),
  body: referenceConfigurationRequest,
  answer: referenceConfigured,
  errors: [403, 422],
  example: { body: { validateNow: true } },
})
