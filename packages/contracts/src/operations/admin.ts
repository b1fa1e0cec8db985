import { z } from 'zod'
import { pagingQuery } from '../http/paging.ts'
import {
  adminStatus,
  apiKeyResponse,
  apiKeysResponse,
  buildDetails,
  compatibleVersions,
  createServiceUserRequest,
  serviceUser,
  serviceUserKeyRequest,
  serviceUserList,
  serviceUserRolesRequest,
  updateServiceUserRequest,
} from '../records/admin.ts'
import { auditEntityTypes, auditList } from '../records/audit.ts'
import { plainText, timeText } from '../values/scalars.ts'
import { operation } from './operation.ts'
import { none } from './shapes.ts'

const base = '/admin/api'
const { size, asOf } = pagingQuery([])
const keyPages = z.object(pagingQuery(['createdAt', 'displayName', 'validTill']))
const text = plainText(500)
const entityTypes = auditEntityTypes.join(', ')
const name = text.min(1)
const users = `${base}/v1/service-users`
const userParams = z.object({ serviceUserId: name })
const modifying = { service: 'gateway', permissions: ['API_KEYS_MODIFY'] } as const

export const listUserApiKeys = operation({
  id: 'listUserApiKeys',
  method: 'GET',
  path: `${base}/users/{userId}/api-keys`,
  service: 'gateway',
  permissions: [],
  summary:
    "Lists the active keys of a user: your own, or anybody's if the key has API_KEYS_VIEW. A user exists once they have had a key.",
  params: z.object({ userId: name }),
  query: keyPages,
  answer: apiKeysResponse,
  errors: [403, 404],
})
export const listAllApiKeys = operation({
  id: 'listAllApiKeys',
  method: 'GET',
  path: `${base}/users/api-keys/all`,
  service: 'gateway',
  permissions: ['API_KEYS_VIEW'],
  summary: 'Lists the active keys of all users.',
  params: none,
  query: keyPages,
  answer: apiKeysResponse,
  errors: [],
})
export const deleteUserApiKey = operation({
  id: 'deleteUserApiKey',
  method: 'DELETE',
  path: `${base}/users/api-keys/{accessKey}`,
  service: 'gateway',
  permissions: [],
  summary:
    "Revokes a key: your own, or anybody's if the key has API_KEYS_MODIFY. Without this permission, an unknown key gets 403 too.",
  params: z.object({ accessKey: z.string().min(1).max(200) }),
  query: none,
  answer: adminStatus,
  errors: [403, 404],
})
export const createServiceUser = operation({
  ...modifying,
  id: 'createServiceUser',
  method: 'POST',
  path: users,
  success: 201,
  summary:
    'Creates a service user: an account for a program, whose roles are the permissions of its keys. It starts without roles.',
  params: none,
  query: none,
  body: createServiceUserRequest,
  answer: serviceUser,
  errors: [409],
})
export const listServiceUsers = operation({
  id: 'listServiceUsers',
  method: 'GET',
  path: `${users}/list`,
  service: 'gateway',
  permissions: ['API_KEYS_VIEW'],
  summary: 'Lists service users by name; `searchString` is a part of the name, `first` the number of rows to skip.',
  params: none,
  query: z.object({
    searchString: text.optional(),
    first: z
      .string()
      .regex(/^\d{1,9}$/, 'must be a whole number, zero or more')
      .transform(Number)
      .prefault('0'),
    max: size,
    asOf,
  }),
  answer: serviceUserList,
  errors: [],
})
export const updateServiceUser = operation({
  ...modifying,
  id: 'updateServiceUser',
  method: 'PUT',
  path: `${users}/{serviceUserId}`,
  summary: 'Switches a service user and all its keys on or off, and changes its description.',
  params: userParams,
  query: none,
  body: updateServiceUserRequest,
  answer: adminStatus,
  errors: [403, 404],
})
export const getServiceUser = operation({
  id: 'getServiceUser',
  method: 'GET',
  path: `${users}/{serviceUserId}`,
  service: 'gateway',
  permissions: ['API_KEYS_VIEW'],
  summary: 'Reads a service user with its roles and active keys.',
  params: userParams,
  query: none,
  answer: serviceUser,
  errors: [404],
})
export const addServiceUserRoles = operation({
  ...modifying,
  id: 'addServiceUserRoles',
  method: 'PUT',
  path: `${users}/{serviceUserId}/add-roles`,
  summary: 'Adds roles, which are permissions, to a service user and its keys. The caller must have each of them.',
  params: userParams,
  query: none,
  body: serviceUserRolesRequest,
  answer: adminStatus,
  errors: [403, 404],
})
export const removeServiceUserRoles = operation({
  ...modifying,
  id: 'removeServiceUserRoles',
  method: 'PUT',
  path: `${users}/{serviceUserId}/remove-roles`,
  summary: 'Removes roles from a service user and its keys.',
  params: userParams,
  query: none,
  body: serviceUserRolesRequest,
  answer: adminStatus,
  errors: [404],
})
export const createServiceUserKey = operation({
  ...modifying,
  id: 'createServiceUserKey',
  method: 'POST',
  path: `${users}/{serviceUserId}/api-key`,
  summary: 'Creates a key with the roles of a service user. Only this answer shows the secret.',
  params: userParams,
  query: none,
  body: serviceUserKeyRequest,
  answer: apiKeyResponse,
  errors: [403, 404, 422],
  example: { body: { displayName: 'nightly', validTill: '2099-01-01T00:00:00Z' } },
})
export const deleteServiceUserKey = operation({
  ...modifying,
  id: 'deleteServiceUserKey',
  method: 'DELETE',
  path: `${users}/{serviceUserId}/api-key/{accessKey}`,
  summary: 'Revokes a key of a service user.',
  params: z.object({ serviceUserId: name, accessKey: z.string().min(1).max(200) }),
  query: none,
  answer: adminStatus,
  errors: [404],
})
export const listAudit = operation({
  id: 'listAudit',
  method: 'GET',
  path: `${base}/audit`,
  service: 'gateway',
  permissions: ['AUDIT_VIEW'],
  summary: 'Lists every write of the tenant, newest first: who, when, with which key, before and after.',
  params: none,
  query: z.object({
    ...pagingQuery(['at']),
    actor: text.optional(),
    entity: text
      .meta({
        description: `\`<type>\`, \`<type>/<id>\` or \`<id>\`, as in \`entityType\` and \`entityId\`. Types: ${entityTypes}.`,
      })
      .optional(),
    type: text
      .regex(
        new RegExp(`^(?:${auditEntityTypes.join('|')}|[A-Z]+[a-z][A-Za-z]*)$`),
        `must be an action, such as CommentAdded, or one of ${entityTypes}; comments, tags, labels and votes on an asset have the type ASSET`,
      )
      .meta({
        description: `The action, as in \`action\` (\`CommentAdded\`), or the type of the entity: ${entityTypes}. Comments, tags, labels and votes on an asset have the type ASSET.`,
      })
      .optional(),
    from: timeText.optional(),
    to: timeText.optional(),
  }),
  answer: auditList,
  errors: [],
})
export const getBuildDetails = operation({
  id: 'getBuildDetails',
  method: 'GET',
  path: `${base}/build-details`,
  service: 'gateway',
  permissions: [],
  summary: 'Reads the version of Assay. Any valid key may call this.',
  params: none,
  query: none,
  answer: buildDetails,
  errors: [],
})
export const getCompatibleVersions = operation({
  id: 'getCompatibleVersions',
  method: 'GET',
  path: '/catalog-server/api/sdk/compatible-versions',
  service: 'gateway',
  permissions: [],
  summary: 'Reads the supported versions of client libraries. Any valid key may call this.',
  params: none,
  query: none,
  answer: compatibleVersions,
  errors: [],
})
