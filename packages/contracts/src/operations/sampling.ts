import { z } from 'zod'
import { sampleAnswer, sampleRequest } from '../records/sample.ts'
import { operation } from './operation.ts'
import { idParams, none } from './shapes.ts'

const base = '/catalog-server/api/assets'

export const requestAssetSample = operation({
  id: 'requestAssetSampleAsync',
  method: 'POST',
  path: `${base}/{id}/sample/async`,
  service: 'sampling',
  permissions: ['ASSET_VIEW'],
  summary:
    'Requests the first 100 rows of an asset; for a column, only its values. Answers immediately if the rows are cached.',
  params: idParams,
  query: none,
  body: sampleRequest,
  answer: sampleAnswer,
  errors: [404],
})
export const getAssetSampleResult = operation({
  id: 'getAssetSampleResult',
  method: 'GET',
  path: `${base}/sample/result/{requestId}`,
  service: 'sampling',
  permissions: ['ASSET_VIEW'],
  summary: 'Reads the state of a sample. A waiting sample expires (FAILED) after two minutes without this call.',
  params: z.object({ requestId: z.string().min(1) }),
  query: none,
  answer: sampleAnswer,
  errors: [404],
})
export const cancelAssetSample = operation({
  id: 'cancelAssetSample',
  method: 'PUT',
  path: `${base}/sample/{requestId}/cancel`,
  service: 'sampling',
  permissions: ['ASSET_VIEW'],
  summary: 'Cancels a running sample. It becomes FAILED for everybody who requested the same rows.',
  params: z.object({ requestId: z.string().min(1) }),
  query: none,
  answer: sampleAnswer,
  errors: [404, 422],
})
