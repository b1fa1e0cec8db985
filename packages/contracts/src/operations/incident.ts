import { z } from 'zod'
import { pagingQuery } from '../http/paging.ts'
import { incidentChange, incidentList, incidentRecord, incidentStatus } from '../records/incident.ts'
import { idListText, idText } from '../values/scalars.ts'
import { operation } from './operation.ts'
import { enumListText, idParams, none } from './shapes.ts'

const path = '/catalog-server/api/incidents'

export const listIncidents = operation({
  id: 'listIncidents',
  method: 'GET',
  path,
  service: 'execution',
  permissions: ['ASSET_VIEW', 'POLICY_VIEW'],
  summary: 'Lists incidents, newest first. An incident groups consecutive alarms of one policy.',
  params: none,
  query: z.object({
    ...pagingQuery(['id', 'openedAt', 'lastAt']),
    status: enumListText(incidentStatus.options).optional(),
    assetIds: idListText.optional(),
    policyId: idText.optional(),
  }),
  answer: incidentList,
  errors: [],
})
export const getIncident = operation({
  id: 'getIncident',
  method: 'GET',
  path: `${path}/{id}`,
  service: 'execution',
  permissions: ['ASSET_VIEW', 'POLICY_VIEW'],
  summary: 'Reads an incident.',
  params: idParams,
  query: none,
  answer: incidentRecord,
  errors: [404],
})
export const changeIncident = operation({
  id: 'updateIncident',
  method: 'PUT',
  path: `${path}/{id}`,
  service: 'execution',
  permissions: ['ASSET_VIEW', 'POLICY_MODIFY'],
  summary: 'Acknowledges, snoozes, assigns or closes an incident. Repeating a change changes nothing.',
  params: idParams,
  query: none,
  body: incidentChange,
  answer: incidentRecord,
  errors: [404, 422],
  example: { body: { acknowledged: true } },
})
