import { z } from 'zod'
import { withFieldRules } from '../fields/field-rules.ts'
import { pagingQuery } from '../http/paging.ts'
import {
  createPersistenceConfigRequest,
  persistenceConfig,
  persistenceConfigList,
  persistenceValidation,
  templatePreview,
  templatePreviewRequest,
  templateVariables,
  updatePersistenceConfigRequest,
  validatePersistenceRequest,
} from '../records/persistence.ts'
import { defaultTemplate } from '../values/persistence-template.ts'
import { operation } from './operation.ts'
import { idParams, none } from './shapes.ts'

const base = '/catalog-server/api/persistence/configs'
const view = ['ASSET_VIEW', 'POLICY_VIEW'] as const
const modify = ['ASSET_VIEW', 'POLICY_MODIFY'] as const
const ofAll = { service: 'policy', params: none, query: none } as const
const ofOne = { service: 'policy', params: idParams, query: none } as const

const rows = { suffixTemplate: defaultTemplate, format: 'PARQUET' }
const exampleCategories = { good: rows, bad: rows, metadata: { suffixTemplate: defaultTemplate } }

export const getDefaultPersistenceConfig = operation({
  ...ofAll,
  id: 'getDefaultPersistenceConfig',
  method: 'GET',
  path: `${base}/default`,
  permissions: view,
  summary: 'Reads where results are stored by default.',
  answer: persistenceConfig,
  errors: [],
})
export const listPersistenceConfigs = operation({
  ...ofAll,
  id: 'listPersistenceConfigs',
  method: 'GET',
  path: base,
  permissions: view,
  summary: 'Lists the saved persistence configurations, including the default one.',
  query: z.object(pagingQuery(['id', 'name', 'createdAt', 'updatedAt'])),
  answer: persistenceConfigList,
  errors: [],
})
export const createPersistenceConfig = operation({
  ...ofAll,
  id: 'createPersistenceConfig',
  method: 'POST',
  path: base,
  permissions: modify,
  summary: 'Saves a persistence configuration. 409: the name is taken. 422: there are too many.',
  body: withFieldRules(createPersistenceConfigRequest, { sentBack: persistenceConfig }),
  example: { body: { name: 'by policy', categoriesConfig: exampleCategories, description: 'One folder per policy.' } },
  answer: persistenceConfig,
  errors: [409, 422],
})
export const getPersistenceConfig = operation({
  ...ofOne,
  id: 'getPersistenceConfig',
  method: 'GET',
  path: `${base}/{id}`,
  permissions: view,
  summary: 'Reads a persistence configuration.',
  answer: persistenceConfig,
  errors: [404],
})
export const updatePersistenceConfig = operation({
  ...ofOne,
  id: 'updatePersistenceConfig',
  method: 'PUT',
  path: `${base}/{id}`,
  permissions: modify,
  summary: 'Changes a persistence configuration; later runs of the policies that use it store their results there.',
  body: withFieldRules(updatePersistenceConfigRequest, { sentBack: persistenceConfig }),
  example: { body: { description: 'One folder per policy and day.' } },
  answer: persistenceConfig,
  errors: [404, 409],
})
export const setDefaultPersistenceConfig = operation({
  ...ofOne,
  id: 'setDefaultPersistenceConfig',
  method: 'POST',
  path: `${base}/{id}/set-default`,
  permissions: modify,
  summary: 'Makes a persistence configuration the default one.',
  answer: persistenceConfig,
  errors: [404],
})
export const deletePersistenceConfig = operation({
  ...ofOne,
  id: 'deletePersistenceConfig',
  method: 'DELETE',
  path: `${base}/{id}`,
  permissions: modify,
  summary: 'Deletes a persistence configuration that is neither the default nor used by a policy.',
  errors: [404, 422],
})
export const listPersistenceVariables = operation({
  ...ofAll,
  id: 'listPersistenceVariables',
  method: 'GET',
  path: `${base}/variables`,
  permissions: view,
  summary: 'Lists the tokens of templates.',
  answer: templateVariables,
  errors: [],
})
export const previewPersistenceTemplate = operation({
  ...ofAll,
  id: 'previewPersistenceTemplate',
  method: 'POST',
  path: `${base}/preview/{category}`,
  permissions: view,
  summary: 'Previews the path of a template. `category` is good, bad or metadata.',
  params: z.object({ category: z.enum(['good', 'bad', 'metadata']) }),
  body: templatePreviewRequest,
  example: { body: { suffixTemplate: defaultTemplate } },
  answer: templatePreview,
  errors: [],
})
export const validatePersistenceConfig = operation({
  ...ofAll,
  id: 'validatePersistenceConfig',
  method: 'POST',
  path: `${base}/validate`,
  permissions: view,
  summary: 'Validates the templates of a configuration and names the faults.',
  body: validatePersistenceRequest,
  example: { body: { categoriesConfig: exampleCategories, requireMetadata: true } },
  answer: persistenceValidation,
  errors: [],
})
