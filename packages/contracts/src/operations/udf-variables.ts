import { z } from 'zod'
import {
  createUdfVariableRequest,
  udfVariable,
  udfVariableList,
  updateUdfVariableRequest,
} from '../records/udf-variable.ts'
import { idText } from '../values/scalars.ts'
import { operation } from './operation.ts'
import { idParams, none } from './shapes.ts'

const path = '/catalog-server/api/assets/{id}/udf-variables'
const ofAsset = { service: 'catalog', params: idParams, query: none } as const
const ofVariable = {
  ...ofAsset,
  path: `${path}/{variableId}`,
  params: z.object({ id: idText, variableId: idText }),
} as const

export const createUdfVariable = operation({
  ...ofAsset,
  id: 'createAssetUdfVariable',
  method: 'POST',
  path,
  permissions: ['ASSET_VIEW', 'USER_DEFINED_FUNCTION_CREATE'],
  summary: 'Adds a variable to an asset. Policies on the asset or below it use its value as ${key}. Keys are unique.',
  body: createUdfVariableRequest,
  answer: udfVariable,
  errors: [422],
  example: { body: { key: 'limit', value: '0.95' } },
})
export const listUdfVariables = operation({
  ...ofAsset,
  id: 'getAssetUdfVariables',
  method: 'GET',
  path,
  permissions: ['ASSET_VIEW', 'USER_DEFINED_FUNCTION_VIEW'],
  summary: 'Lists the variables of an asset.',
  answer: udfVariableList,
  errors: [404],
})
export const getUdfVariable = operation({
  ...ofVariable,
  id: 'getAssetUdfVariable',
  method: 'GET',
  permissions: ['ASSET_VIEW', 'USER_DEFINED_FUNCTION_VIEW'],
  summary: 'Reads one variable of an asset.',
  answer: udfVariable,
  errors: [404],
})
export const updateUdfVariable = operation({
  ...ofVariable,
  id: 'updateAssetUdfVariable',
  method: 'PUT',
  permissions: ['ASSET_VIEW', 'USER_DEFINED_FUNCTION_MODIFY'],
  summary: 'Changes key or value of a variable; absent fields stay.',
  body: updateUdfVariableRequest,
  answer: udfVariable,
  errors: [404, 422],
  example: { body: { value: '0.9' } },
})
export const deleteUdfVariable = operation({
  ...ofVariable,
  id: 'deleteAssetUdfVariable',
  method: 'DELETE',
  permissions: ['ASSET_VIEW', 'USER_DEFINED_FUNCTION_MODIFY'],
  summary: 'Deletes a variable of an asset.',
  errors: [404],
})
