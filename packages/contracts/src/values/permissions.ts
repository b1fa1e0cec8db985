import { z } from 'zod'

/** All permissions of keys. Append new ones at the end, because the id of a role is a position in this list. */
export const permissions = [
  'ASSET_VIEW',
  'ASSET_METADATA_VIEW',
  'ASSET_CONFIGURATION_MODIFY',
  'ASSET_COMMENT',
  'ASSET_PROTECTED_VIEW',
  'ASSEMBLY_CREATE',
  'ASSEMBLY_MODIFY',
  'TAGS_VIEW',
  'TAGS_CREATE',
  'TAGS_MODIFY',
  'POLICY_VIEW',
  'POLICY_CREATE',
  'POLICY_MODIFY',
  'POLICY_EXECUTE',
  'USER_DEFINED_FUNCTION_VIEW',
  'USER_DEFINED_FUNCTION_CREATE',
  'USER_DEFINED_FUNCTION_MODIFY',
  'API_KEYS_VIEW',
  'API_KEYS_MODIFY',
  'NOTIFICATION_VIEW',
  'NOTIFICATION_MODIFY',
  'AUDIT_VIEW',
  'TENANT_MODIFY',
  'USERS_IMPERSONATE',
] as const

export type Permission = (typeof permissions)[number]

/** Other names that clients send. Permissions on service users are the permissions on keys. */
const synonyms: Readonly<Record<string, Permission>> = {
  VIEW_API_KEYS: 'API_KEYS_VIEW',
  MODIFY_API_KEYS: 'API_KEYS_MODIFY',
  VIEW_SERVICE_USERS: 'API_KEYS_VIEW',
  VIEW_ROLE: 'API_KEYS_VIEW',
  CREATE_SERVICE_USERS: 'API_KEYS_MODIFY',
  MODIFY_SERVICE_USERS: 'API_KEYS_MODIFY',
}

/** A permission by its name or a synonym. */
export const permission = z.preprocess(
  (value) => (typeof value === 'string' ? (synonyms[value] ?? value) : value),
  z.enum(permissions),
)
