import { distributed, serviceUrl, serviceVariables, whole } from '@assay/hosting'
import { z } from 'zod'

const adminKey = z.string().regex(/^[A-Za-z0-9_-]{16,128}$/, 'must be 16 to 128 characters of A-Za-z0-9_-')

/** The environment of the gateway as a separate process. */
export const gatewayConfig = z
  .object({
    ...serviceVariables,
    ASSAY_ADMIN_ACCESS_KEY: adminKey,
    ASSAY_ADMIN_SECRET_KEY: adminKey,
    ASSAY_RATE_LIMIT: whole(200, 0, 1_000_000),
    ASSAY_FAILED_AUTHENTICATION_LIMIT: whole(20, 0, 1_000_000),
    ASSAY_TENANT_MAX_MB: whole(0, 0, 1_000_000_000),
    ASSAY_CATALOG_URL: serviceUrl,
    ASSAY_POLICY_URL: serviceUrl,
    ASSAY_EXECUTION_URL: serviceUrl,
    ASSAY_SAMPLING_URL: serviceUrl.optional(),
    ASSAY_NOTIFICATION_URL: serviceUrl.optional(),
    ASSAY_UPSTREAM_TIMEOUT_SECONDS: whole(30, 1, 600),
    ASSAY_UPSTREAM_CONNECT_TIMEOUT_MS: whole(2_000, 50, 60_000),
    ASSAY_UPSTREAM_MAX_REQUESTS: whole(256, 1, 100_000),
  })
  .superRefine(distributed)

export type GatewayConfig = z.output<typeof gatewayConfig>
