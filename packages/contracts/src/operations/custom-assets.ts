import {
  createSqlViewRequest,
  customAssetAnswer,
  sqlViewAnswer,
  updateSqlViewRequest,
} from '../records/custom-asset.ts'
import { operation } from './operation.ts'
import { idParams, none } from './shapes.ts'

const path = '/catalog-server/api/custom-assets/sql-view'
const one = { service: 'catalog', path: `${path}/{id}`, params: idParams, query: none } as const
const written = { permissions: ['ASSET_VIEW', 'ASSET_CONFIGURATION_MODIFY'] } as const
const details = {
  query: 'SELECT Title, Director FROM "movies.json"',
  description: 'Who directed what.',
  queryType: 'SQL_QUERY',
}
const schema = ['Title', 'Director'].map((name) => ({ name, type: 'VARCHAR', nullable: true }))

export const createSqlView = operation({
  ...written,
  id: 'createSqlView',
  method: 'POST',
  path,
  service: 'catalog',
  params: none,
  query: none,
  summary: 'Creates an asset from a SELECT over tables of an assembly. It can be sampled and have policies.',
  body: createSqlViewRequest,
  answer: sqlViewAnswer,
  errors: [404, 422],
  example: { body: { data: { asset: { name: 'directors', assemblyId: 1 }, details, schema } } },
})
export const updateSqlView = operation({
  ...one,
  ...written,
  id: 'updateSqlView',
  method: 'PUT',
  summary: 'Changes the SELECT and the description of a view. Its name stays.',
  body: updateSqlViewRequest,
  answer: sqlViewAnswer,
  errors: [404, 422],
  example: { body: { data: { details, schema } } },
})
export const deleteSqlView = operation({
  ...one,
  ...written,
  id: 'deleteSqlView',
  method: 'DELETE',
  summary: 'Deletes a view that no policy uses.',
  errors: [404, 422],
})
export const getSqlView = operation({
  ...one,
  id: 'getSqlView',
  method: 'GET',
  permissions: ['ASSET_VIEW'],
  summary: 'Reads a view: its SELECT and its asset.',
  answer: customAssetAnswer,
  errors: [404],
})
