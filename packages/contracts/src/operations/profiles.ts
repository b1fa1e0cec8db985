import { z } from 'zod'
import { cancelAnswer } from '../records/execution.ts'
import {
  profileAnswer,
  profileDetail,
  profileResult,
  profileSchedule,
  profileStart,
  suggestionList,
} from '../records/profiles.ts'
import { idText } from '../values/scalars.ts'
import { operation } from './operation.ts'
import { idParams, none } from './shapes.ts'

const base = '/catalog-server/api/assets'
const execution = { service: 'execution', query: none } as const
const view = ['ASSET_VIEW'] as const
const execute = ['ASSET_VIEW', 'POLICY_EXECUTE'] as const
const profileParams = z.object({ id: idText, profileId: idText })

export const startProfile = operation({
  ...execution,
  id: 'startProfile',
  method: 'POST',
  path: `${base}/{id}/profile`,
  permissions: execute,
  summary:
    'Starts a profile of a table, view or file, one at a time: FULL, or SELECTIVE or INCREMENTAL with a `markerConfig`.',
  params: idParams,
  body: profileStart,
  answer: profileAnswer,
  errors: [404, 422],
  example: { body: { data: { profilingType: 'FULL' } } },
})
export const getLatestProfile = operation({
  ...execution,
  id: 'getLatestProfile',
  method: 'GET',
  path: `${base}/{id}/profile`,
  permissions: view,
  summary: 'Reads the latest profile of an asset.',
  params: idParams,
  answer: profileAnswer,
  errors: [404],
})
export const getProfile = operation({
  ...execution,
  id: 'getProfile',
  method: 'GET',
  path: `${base}/{id}/profile/{profileId}`,
  permissions: view,
  summary: 'Reads the state of a profile. The last 20 of an asset are kept.',
  params: profileParams,
  answer: profileDetail,
  errors: [404],
})
export const getProfileSchedule = operation({
  ...execution,
  id: 'getProfileSchedule',
  method: 'GET',
  path: `${base}/{id}/profile-schedule`,
  permissions: view,
  summary: 'Reads the next scheduled profiles of an asset, and the skipped ones.',
  params: idParams,
  answer: profileSchedule,
  errors: [404],
})
export const getProfileResult = operation({
  ...execution,
  id: 'getProfileResult',
  method: 'GET',
  path: `${base}/{id}/profile/{profileId}/result`,
  permissions: view,
  summary: 'Reads the figures of a profile. Values of protected columns need ASSET_PROTECTED_VIEW.',
  params: profileParams,
  answer: profileResult,
  errors: [404, 422],
})
export const cancelProfile = operation({
  ...execution,
  id: 'cancelProfile',
  method: 'PUT',
  path: `${base}/profile/{profileId}/cancel`,
  permissions: execute,
  summary: 'Cancels a running profile; 405 after its end.',
  params: z.object({ profileId: idText }),
  answer: cancelAnswer,
  errors: [404, 405],
})
export const listSuggestions = operation({
  ...execution,
  id: 'listSuggestions',
  method: 'GET',
  path: `${base}/{id}/suggestions`,
  permissions: view,
  summary: 'Suggests data quality items from the profiles of an asset: at most five a column, the best first.',
  params: idParams,
  answer: suggestionList,
  errors: [404, 422],
})
