import { z } from 'zod'
import { pagingQuery } from '../http/paging.ts'
import { apiKeyList, apiKeySecret, createApiKeyRequest, rotateApiKeyRequest } from '../records/api-key.ts'
import { eventsToken, eventsTokenRequest } from '../records/events-token.ts'
import { createTenantRequest, tenantAnswer, tenantList } from '../records/tenant.ts'
import { operation } from './operation.ts'
import { none } from './shapes.ts'

const accessKeyParams = z.object({ accessKey: z.string().min(1).max(200) })

export const createApiKey = operation({
  id: 'createApiKey',
  method: 'POST',
  path: '/admin/api/api-keys',
  service: 'gateway',
  permissions: ['API_KEYS_MODIFY'],
  summary:
    'Creates a key pair. Only this answer shows the secret. A key that acts for another user requires USERS_IMPERSONATE.',
  params: none,
  query: none,
  body: createApiKeyRequest,
  answer: apiKeySecret,
  errors: [403],
})
export const listApiKeys = operation({
  id: 'listApiKeys',
  method: 'GET',
  path: '/admin/api/api-keys',
  service: 'gateway',
  permissions: ['API_KEYS_VIEW'],
  summary: 'Lists key pairs, without secrets.',
  params: none,
  query: z.object(pagingQuery(['createdAt', 'displayName', 'validTill'])),
  answer: apiKeyList,
  errors: [],
})
export const revokeApiKey = operation({
  id: 'revokeApiKey',
  method: 'DELETE',
  path: '/admin/api/api-keys/{accessKey}',
  service: 'gateway',
  permissions: ['API_KEYS_MODIFY'],
  summary: 'Revokes a key pair; every replica refuses it within 5 seconds.',
  params: accessKeyParams,
  query: none,
  errors: [404],
})
export const rotateApiKey = operation({
  id: 'rotateApiKey',
  method: 'POST',
  path: '/admin/api/api-keys/{accessKey}/rotate',
  service: 'gateway',
  permissions: ['API_KEYS_MODIFY'],
  summary:
    'Gives a key pair a new secret; the old one works until the overlap ends. A key of another user requires USERS_IMPERSONATE.',
  params: accessKeyParams,
  query: none,
  body: rotateApiKeyRequest,
  answer: apiKeySecret,
  errors: [404, 422],
})
export const createTenant = operation({
  id: 'createTenant',
  method: 'POST',
  path: '/admin/api/tenants',
  service: 'gateway',
  permissions: ['TENANT_MODIFY'],
  summary: 'Creates a tenant and its first administrator; for keys of the tenant `default` only.',
  params: none,
  query: none,
  body: createTenantRequest,
  answer: tenantAnswer,
  errors: [403, 409],
})
export const listTenants = operation({
  id: 'listTenants',
  method: 'GET',
  path: '/admin/api/tenants',
  service: 'gateway',
  permissions: ['TENANT_MODIFY'],
  summary: 'Lists tenants; for keys of the tenant `default` only.',
  params: none,
  query: z.object(pagingQuery(['id'])),
  answer: tenantList,
  errors: [403],
})
export const createEventsToken = operation({
  id: 'createEventsToken',
  method: 'POST',
  path: '/catalog-server/api/events/token',
  service: 'gateway',
  permissions: ['NOTIFICATION_VIEW'],
  summary:
    'Issues a token that opens the stream of events as `?token=` where headers cannot be set, such as in a browser. It ends with the secret key that requested it at the latest; a stream that it opened lasts as long as this secret key.',
  params: none,
  query: none,
  body: eventsTokenRequest.optional(),
  answer: eventsToken,
  errors: [],
})
