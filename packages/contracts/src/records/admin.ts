import { z } from 'zod'
import { type Permission, permissions } from '../values/permissions.ts'
import { id, optional, plainText, timeInput } from '../values/scalars.ts'

const epoch = z.int()

/** The paging record of the older admin routes: `total` instead of `count`. */
export const adminMeta = z.object({ page: z.int(), size: z.int(), total: z.int() }).meta({ id: 'AdminMeta' })

/** The answer of the older admin routes to a change. */
export const adminStatus = z.object({ message: z.string(), status: z.boolean() }).meta({ id: 'AdminStatus' })

/** A key as older clients list it: `secretKey` is always `***`; `email` is empty, because Assay has none. */
export const apiKeyDetails = z
  .object({
    accessKey: z.string(),
    displayName: z.string(),
    email: z.string(),
    secretKey: z.literal('***'),
    createdAt: epoch,
    validTill: epoch,
    userName: z.string().nullable(),
  })
  .meta({ id: 'ApiKeyDetails' })
export type ApiKeyDetails = z.infer<typeof apiKeyDetails>

export const apiKeysResponse = z.object({ apiKeys: z.array(apiKeyDetails), meta: adminMeta })

/** A role is one permission. Its id is the permission's position in the list, from 1: new permissions are appended. */
export const role = z
  .object({
    id: z.int(),
    name: z.enum(permissions),
    type: z.enum(['FEATURE_ROLE', 'RESOURCE_ROLE']).nullable(),
    default: z.boolean(),
    description: z.string(),
    metadata: z.null(),
  })
  .meta({ id: 'Role' })
export type Role = z.infer<typeof role>

function roleTypeOf(name: Permission): Role['type'] {
  if (/^(TAGS|USER_DEFINED_FUNCTION)_/.test(name)) return 'FEATURE_ROLE'
  return /^(ASSET|POLICY)_/.test(name) ? 'RESOURCE_ROLE' : null
}

/** The role of a permission. Pure. */
export function roleOf(name: Permission): Role {
  return {
    id: permissions.indexOf(name) + 1,
    name,
    type: roleTypeOf(name),
    default: false,
    description: '',
    metadata: null,
  }
}

/** The permission of a role id. Pure. */
export function permissionOfRole(roleId: number): Permission | undefined {
  return permissions[roleId - 1]
}

export const serviceUser = z
  .object({
    id: z.string(),
    username: z.string(),
    email: z.string(),
    enabled: z.boolean(),
    apiKeys: z.array(apiKeyDetails),
    roles: z.array(role),
    /** Assay has no domains. */
    domainRoleMappings: z.array(z.never()).max(0),
    description: z.string(),
    createdBy: z.string().nullable(),
    updatedBy: z.string().nullable(),
    createdOn: epoch,
    updatedOn: epoch,
  })
  .meta({ id: 'ServiceUser' })
export type ServiceUser = z.infer<typeof serviceUser>

export const serviceUserList = z.object({ serviceUsers: z.array(serviceUser), meta: adminMeta })

const description = optional(plainText(10_000))

export const createServiceUserRequest = z.object({
  username: plainText(255).trim().min(1, 'must not be empty'),
  description,
})
export const updateServiceUserRequest = z.object({ enabled: z.boolean(), description })
export const serviceUserRolesRequest = z.object({ clientId: plainText(255), roles: z.array(id).min(1).max(100) })
export const serviceUserKeyRequest = z.object({
  displayName: plainText(255).trim().min(1, 'must not be empty'),
  validTill: timeInput,
})

/** The only answer that shows `secretKey`. */
export const apiKeyResponse = z
  .object({
    accessKey: z.string(),
    displayName: z.string(),
    secretKey: z.string(),
    validTill: epoch,
    email: z.string().nullable(),
    ingestKey: z.string().nullable(),
  })
  .meta({ id: 'ApiKeyResponse' })

const version = z
  .string()
  .regex(/^\d+\.\d+\.\d+$/)
  .meta({ examples: ['2.0.0'] })
export const compatibleVersions = z.object({
  versions: z.object({ minVersion: version, maxVersion: version }),
})
/** `buildDate` is null if the build has none. */
export const buildDetails = z.object({ buildVersion: z.string(), buildDate: z.string().nullable() })
