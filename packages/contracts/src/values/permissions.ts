import { z } from 'zod'

/** Every permission a key can carry. `VIEW_API_KEYS` and `MODIFY_API_KEYS` are other names that clients send. */
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
] as const

export type Permission = (typeof permissions)[number]

const synonyms: Readonly<Record<string, Permission>> = {
  VIEW_API_KEYS: 'API_KEYS_VIEW',
  MODIFY_API_KEYS: 'API_KEYS_MODIFY',
}

/** A permission by its name or its other name. */
export const permission = z.preprocess(
  (value) => (typeof value === 'string' ? (synonyms[value] ?? value) : value),
  z.enum(permissions),
)
