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
  summary: 'Asks for the first 100 rows of an asset; a column gives its values only. Rows that are kept come at once.',
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
  summary: 'Reads what became of a sample. One that waits expires (FAILED) after two minutes without this call.',
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
  summary: 'Cancels a sample that has not ended: it is FAILED, for everybody who asked for the same rows.',
  params: z.object({ requestId: z.string().min(1) }),
  query: none,
  answer: sampleAnswer,
  errors: [404, 422],
})
