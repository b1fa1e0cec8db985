import { z } from 'zod'
import { withFieldRules } from '../fields/field-rules.ts'
import { pagingQuery } from '../http/paging.ts'
import {
  udfTemplate,
  udfTemplateList,
  udfTemplateRequest,
  udfValidationRequest,
  udfValidationResult,
} from '../records/udf-template.ts'
import { booleanText } from '../values/scalars.ts'
import { operation } from './operation.ts'
import { idParams, none } from './shapes.ts'

const path = '/catalog-server/api/udf/template'
const all = { service: 'catalog', params: none, query: none } as const
const one = { ...all, path: `${path}/{id}`, params: idParams } as const
const body = {
  name: 'between',
  code: '${column} BETWEEN 1 AND ${high}',
  language: 'EXPRESSION',
  udfType: 'FILTER',
  udfDataType: 'BOOLEAN',
  variables: [{ key: 'column', isColumnVariable: true }, { key: 'high' }],
}

export const createUdfTemplate = operation({
  ...all,
  id: 'createUdfTemplate',
  method: 'POST',
  path,
  permissions: ['ASSET_VIEW', 'USER_DEFINED_FUNCTION_CREATE'],
  summary: 'Creates a template that policies can use; `override` replaces one of the same name.',
  body: withFieldRules(udfTemplateRequest, { sentBack: udfTemplate }),
  answer: udfTemplate,
  errors: [422],
  example: { body },
})
export const listUdfTemplates = operation({
  ...all,
  id: 'listUdfTemplates',
  method: 'GET',
  path,
  permissions: ['ASSET_VIEW', 'USER_DEFINED_FUNCTION_VIEW'],
  summary: 'Lists the first 1,000 templates, or pages of all with `isPaginated=true`.',
  query: z.object({ ...pagingQuery(['id', 'name', 'createdAt', 'updatedAt']), isPaginated: booleanText.optional() }),
  answer: udfTemplateList,
  errors: [],
})
export const updateUdfTemplate = operation({
  ...one,
  id: 'updateUdfTemplate',
  method: 'PUT',
  permissions: ['ASSET_VIEW', 'USER_DEFINED_FUNCTION_MODIFY'],
  summary: 'Replaces a template. Policies that use it apply the new one from their next run on.',
  body: withFieldRules(udfTemplateRequest, { sentBack: udfTemplate }),
  answer: udfTemplate,
  errors: [404, 422],
  example: { body },
})
export const deleteUdfTemplate = operation({
  ...one,
  id: 'deleteUdfTemplate',
  method: 'DELETE',
  permissions: ['ASSET_VIEW', 'USER_DEFINED_FUNCTION_MODIFY'],
  summary: 'Deletes a template that no policy uses.',
  errors: [404, 422],
})
export const getUdfTemplate = operation({
  ...one,
  id: 'getUdfTemplate',
  method: 'GET',
  permissions: ['ASSET_VIEW', 'USER_DEFINED_FUNCTION_VIEW'],
  summary: 'Reads a template.',
  answer: udfTemplate,
  errors: [404],
})
export const validateUdfTemplate = operation({
  ...one,
  id: 'validateUdfTemplateAsync',
  method: 'POST',
  path: `${path}/{id}/validate/async`,
  permissions: ['ASSET_VIEW', 'USER_DEFINED_FUNCTION_VIEW'],
  summary: 'Starts a job that applies a template to the first rows of an asset, or to test data.',
  body: udfValidationRequest,
  answer: udfValidationResult,
  errors: [404, 422],
  example: { body: { assetId: 1, analyticsPipelineId: 1, variables: [{ key: 'high', value: '9' }] } },
})
export const getUdfValidation = operation({
  ...all,
  id: 'getUdfValidationResult',
  method: 'GET',
  path: `${path}/validate/result/{requestId}`,
  permissions: ['ASSET_VIEW', 'USER_DEFINED_FUNCTION_VIEW'],
  summary: 'Reads the state of a template validation, and its rows once it is SUCCESSFUL. Kept for a day.',
  params: z.object({ requestId: z.string().min(1) }),
  answer: udfValidationResult,
  errors: [404],
})
