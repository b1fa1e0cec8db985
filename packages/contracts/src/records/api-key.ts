import { z } from 'zod'
import { pageMeta } from '../http/paging.ts'
import { permission, permissions } from '../values/permissions.ts'
import { optional, plainText, timeInput } from '../values/scalars.ts'

const epoch = z.int()

export const createApiKeyRequest = z.object({
  displayName: plainText(255).trim().min(1, 'must not be empty'),
  validTill: timeInput,
  permissions: z.array(permission).min(1, 'must name at least one permission').max(100),
  userName: optional(plainText(255).trim().min(1)),
})

/** The only answer that shows `secretKey`. */
export const apiKeySecret = z
  .object({
    accessKey: z.string(),
    secretKey: z.string(),
    displayName: z.string(),
    validTill: epoch,
    permissions: z.array(z.enum(permissions)),
  })
  .meta({ id: 'ApiKeySecret' })
export type ApiKeySecret = z.infer<typeof apiKeySecret>

export const apiKey = z
  .object({
    accessKey: z.string(),
    displayName: z.string(),
    createdBy: z.string(),
    createdAt: epoch,
    validTill: epoch,
    lastUsedAt: epoch.nullable(),
    permissions: z.array(z.enum(permissions)),
    revoked: z.boolean(),
  })
  .meta({ id: 'ApiKey' })
export type ApiKey = z.infer<typeof apiKey>

export const apiKeyList = z.object({ apiKeys: z.array(apiKey), meta: pageMeta })
export const rotateApiKeyRequest = z
  .object({
    overlapSeconds: z
      .int()
      .min(0)
      .max(30 * 86_400)
      .nullish()
      .transform((value) => value ?? 3600),
  })
  .prefault({})
