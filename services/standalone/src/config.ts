import {
  addressed,
  allowedBrokers,
  allowedFolders,
  allowedHosts,
  artifactVariables,
  busVariables,
  commaList,
  installationVariables,
  lineageVariables,
  notifyVariables,
  sealingVariables,
  storeVariables,
  whole,
} from '@assay/hosting'
import { z } from 'zod'

const adminKey = z.string().regex(/^[A-Za-z0-9_-]{16,128}$/, 'must be 16 to 128 characters of A-Za-z0-9_-')

/**
 * The environment of the embedded form; each of its adapters can be one on a server. docs/operations.md describes the
 * variables.
 */
export const standaloneConfig = z
  .object({
    ...storeVariables,
    ...busVariables,
    ...artifactVariables,
    ...installationVariables,
    ...lineageVariables,
    ASSAY_EVENT_STORE: z.enum(['sqlite', 'eventstoredb']).default('sqlite'),
    ASSAY_DOCUMENTS: z.enum(['sqlite', 'mongodb']).default('sqlite'),
    ASSAY_BUS: z.enum(['embedded', 'kafka']).default('embedded'),
    PORT: whole(8888, 0, 65_535),
    ASSAY_HOST: z.string().default('127.0.0.1'),
    ASSAY_DATA_DIR: z.string().min(1).default('./data'),
    ASSAY_ADMIN_ACCESS_KEY: adminKey.optional(),
    ASSAY_ADMIN_SECRET_KEY: adminKey.optional(),
    ASSAY_SOURCES: commaList.optional(),
    ASSAY_ALLOWED_PATHS: allowedFolders.optional(),
    ASSAY_ALLOWED_BROKERS: allowedBrokers.optional(),
    ASSAY_ALLOWED_HOSTS: allowedHosts.optional(),
    ...sealingVariables,
    ...notifyVariables,
    ASSAY_SAMPLES: z.enum(['on', 'off']).default('on'),
    ASSAY_RATE_LIMIT: whole(200, 0, 1_000_000),
    ASSAY_FAILED_AUTHENTICATION_LIMIT: whole(20, 0, 1_000_000),
    ASSAY_TENANT_MAX_MB: whole(0, 0, 1_000_000_000),
    ASSAY_SCHEDULE_CONTRACT: z.enum(['guide', 'interface']).default('guide'),
    ASSAY_MAX_RUNS: whole(2, 1, 64),
    ASSAY_RUN_MEMORY_MB: whole(512, 64, 1_048_576),
    ASSAY_SHORT_TASK_MEMORY_MB: whole(512, 64, 1_048_576).optional(),
    ASSAY_RUN_THREADS: whole(0, 0, 1024),
    ASSAY_RUN_TIMEOUT_MINUTES: whole(60, 1, 1440),
    ASSAY_RUN_MAX_MINUTES: whole(240, 1, 1440),
    ASSAY_RUN_TEMP_MB: whole(10_240, 1, 10_485_760),
    ASSAY_RETENTION_ROWS: whole(30, 1, 36_500),
    ASSAY_LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('warn'),
    OTEL_EXPORTER_OTLP_ENDPOINT: z.string().optional(),
  })
  .superRefine(addressed)
  .superRefine((value, context) => {
    if ((value.ASSAY_ADMIN_ACCESS_KEY === undefined) !== (value.ASSAY_ADMIN_SECRET_KEY === undefined)) {
      const missing = value.ASSAY_ADMIN_ACCESS_KEY === undefined ? 'ASSAY_ADMIN_ACCESS_KEY' : 'ASSAY_ADMIN_SECRET_KEY'
      context.addIssue({
        code: 'custom',
        path: [missing],
        message: 'must be set too: the administrator pair is preset by both or by none',
      })
    }
  })

export type StandaloneConfig = z.output<typeof standaloneConfig>
