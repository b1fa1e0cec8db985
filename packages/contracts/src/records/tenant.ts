import { z } from 'zod'
import { pageMeta } from '../http/paging.ts'

/** A tenant's name is its id: it is part of the names of streams and folders. */
export const tenantName = z
  .string()
  .trim()
  .regex(
    /^[a-z][a-z0-9-]{0,62}$/,
    'must be 1 to 63 lower-case letters, digits and hyphens of the Latin alphabet, with a letter first',
  )

export const createTenantRequest = z.object({ name: tenantName })

/** The only answer that shows `secretKey`, of the tenant's first administrator. */
export const tenantAnswer = z
  .object({
    tenant: z.object({ id: z.string(), name: z.string() }),
    accessKey: z.string(),
    secretKey: z.string(),
  })
  .meta({ id: 'TenantSecret' })

export const tenantList = z.object({
  data: z.array(
    z.object({ id: z.string(), name: z.string(), createdAt: z.string(), storedBytes: z.int() }).meta({ id: 'Tenant' }),
  ),
  meta: pageMeta,
})
