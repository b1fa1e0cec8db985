import { resolve } from 'node:path'
import { parseAllowedBroker, parseAllowedFolder, parseAllowedHost } from '@assay/data-engine'
import { networksOf } from '@assay/service-kit'
import { z } from 'zod'

/** A whole number in decimal digits. */
export const whole = (fallback: number, min: number, max: number) =>
  z
    .string()
    .regex(/^\d+$/, 'must be a whole number')
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be between ${min} and ${max}`)
    .prefault(String(fallback))

export const switchedOn = (fallback: 'on' | 'off') => z.enum(['on', 'off']).default(fallback)

/** A list such as `a, b`; its parts are trimmed. */
export const commaList = z.string().transform((text) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
)

/** Folders allowed for sources, each `folder` or `tenant=folder`. */
export const allowedFolders = commaList.transform((parts, context) =>
  parts.flatMap((part) => {
    const parsed = parseAllowedFolder(part)
    if (parsed !== undefined) return [{ tenant: parsed.tenant, folder: resolve(parsed.folder) }]
    context.addIssue({
      code: 'custom',
      message: `must be folders, each alone or as tenant=folder; '${part}' is neither`,
    })
    return []
  }),
)

/** Kafka brokers allowed for sources, each `host:port` or `tenant=host:port`. */
export const allowedBrokers = commaList.transform((parts, context) =>
  parts.flatMap((part) => {
    const parsed = parseAllowedBroker(part)
    if (parsed !== undefined) return [parsed]
    context.addIssue({
      code: 'custom',
      message: `must be brokers, each host:port or tenant=host:port; '${part}' is neither`,
    })
    return []
  }),
)

/** Hosts allowed for databases as sources, each `host`, `host:port`, `tenant=host` or `tenant=host:port`. */
export const allowedHosts = commaList.transform((parts, context) =>
  parts.flatMap((part) => {
    const parsed = parseAllowedHost(part)
    if (parsed !== undefined) return [parsed]
    context.addIssue({
      code: 'custom',
      message: `must be hosts, each host or host:port, alone or as tenant=host:port; '${part}' is neither`,
    })
    return []
  }),
)

/** Empty: none. */
const sealingKey = z
  .string()
  .regex(/^(?:.{32,})?$/, 'must be at least 32 characters, the same for all services')
  .transform((key) => (key === '' ? undefined : key))

/** The variables for sealing the passwords of sources. */
export const sealingVariables = {
  ASSAY_SEALING_KEY: sealingKey.optional(),
  ASSAY_SEALING_KEY_ALSO: sealingKey.optional(),
}

/** The sealing keys of the environment, the current one first. */
export const sealingKeysOf = (config: z.output<z.ZodObject<typeof sealingVariables>>): string[] =>
  [config.ASSAY_SEALING_KEY, config.ASSAY_SEALING_KEY_ALSO].flatMap((key) => key ?? [])

const seconds = commaList.refine(
  (parts) => parts.length <= 100 && parts.every((part) => /^\d{1,7}$/.test(part)),
  'must be seconds such as 2,10,60',
)
/** Empty: none. */
const smtpUrl = z
  .string()
  .refine((text) => text === '' || (/^(?:smtp|smtps|smtp\+plain):\/\/[^/?#\s]+\/?$/.test(text) && URL.canParse(text)), {
    message: 'must be an address such as smtp://user:password@mail.example.com:587, smtps:// or smtp+plain://',
  })
const publicUrl = z
  .string()
  .regex(/^(?:https?:\/\/[^?#@\s]+)?$/, 'must be an address such as https://assay.example.com')
  .transform((url) => (url === '' ? undefined : url.replace(/\/+$/, '')))

/** The variables for counting and sending notifications. */
export const notifyVariables = {
  /** Seconds; 0: never. */
  ASSAY_NOTIFY_REPEAT_WINDOW: whole(3_600, 0, 2_592_000),
  ASSAY_NOTIFY_ALLOWED_ADDRESSES: commaList
    .transform((texts, context) => {
      const networks = networksOf(texts)
      if (networks !== undefined) return networks
      context.addIssue({ code: 'custom', message: 'must be networks such as 10.0.0.0/8 or fd00::/8' })
      return z.NEVER
    })
    .prefault(''),
  /** Whether messages show rows of data. */
  ASSAY_NOTIFY_BAD_ROWS: switchedOn('on'),
  ASSAY_NOTIFY_RETRIES: seconds.transform((parts) => parts.map(Number)).optional(),
  ASSAY_NOTIFY_PAUSE_AFTER: whole(10, 1, 1_000_000),
  ASSAY_SMTP_URL: smtpUrl.optional(),
  ASSAY_SMTP_FROM: z.string().min(3).max(320).default('assay@localhost'),
  ASSAY_PUBLIC_URL: publicUrl.optional(),
}

/** Base URL of another service. It has no path, because the table of operations contains the paths. */
export const serviceUrl = z
  .string()
  .regex(/^https?:\/\/[^/?#@\s]+\/?$/, 'must be an address such as http://catalog:8080, without a path')
  .transform((url) => url.replace(/\/$/, ''))

/** Distinguishes installations that share a cluster or a consumer of events. */
export const installationVariables = {
  ASSAY_INSTALLATION: z
    .string()
    .regex(/^[A-Za-z0-9._-]{1,60}$/, 'must be 1 to 60 characters of A-Za-z0-9._-')
    .default('default'),
}

/** The receiver of OpenLineage events; none by default. */
export const lineageVariables = {
  ASSAY_OPENLINEAGE_URL: z
    .string()
    .regex(/^https?:\/\/[^?#@\s]+$/, 'must be an address such as http://marquez:5000')
    .transform((url) => url.replace(/\/$/, ''))
    .optional(),
  ASSAY_OPENLINEAGE_API_KEY: z.string().min(1).optional(),
}

/** Variables of every process of the distributed form. */
export const processVariables = {
  ...installationVariables,
  PORT: whole(8080, 0, 65_535),
  ASSAY_HOST: z.string().default('0.0.0.0'),
  ASSAY_IDENTITY_SECRET: z.string().min(32, 'must be at least 32 characters, the same for all services'),
  ASSAY_IDENTITY_SECRET_ALSO: z
    .string()
    .min(32, 'must be at least 32 characters: the other secret during a rotation')
    .optional(),
  ASSAY_START_WAIT_SECONDS: whole(3600, 0, 86_400),
  ASSAY_LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info'),
  OTEL_EXPORTER_OTLP_ENDPOINT: z.string().optional(),
}

/** Variables for the log and the read models. */
export const storeVariables = {
  ASSAY_EVENT_STORE: z.enum(['eventstoredb', 'sqlite']).default('eventstoredb'),
  ASSAY_EVENTSTOREDB_URL: z
    .string()
    .regex(/^(esdb|kurrentdb)(\+discover)?:\/\/\S+$/, 'must be a connection string such as esdb://host:2113?tls=false')
    .optional(),
  ASSAY_DOCUMENTS: z.enum(['mongodb', 'sqlite']).default('mongodb'),
  ASSAY_MONGODB_URL: z
    .string()
    .regex(/^mongodb(\+srv)?:\/\/\S+$/, 'must be a connection string such as mongodb://host:27017')
    .optional(),
  ASSAY_MONGODB_DATABASE: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,38}$/, 'must be 1 to 38 characters of A-Za-z0-9_-')
    .optional(),
}

/** Variables for messages between services. */
export const busVariables = {
  ASSAY_BUS: z.enum(['kafka', 'embedded']).default('kafka'),
  ASSAY_KAFKA_BROKERS: commaList
    .refine(
      (brokers) => brokers.length > 0 && brokers.every((broker) => /^[^\s:/]+:\d{1,5}$/.test(broker)),
      'must be a list such as kafka-1:9092,kafka-2:9092',
    )
    .optional(),
  ASSAY_KAFKA_PARTITIONS: whole(12, 1, 1000),
  ASSAY_KAFKA_REPLICATION: whole(1, 1, 10),
  ASSAY_KAFKA_SESSION_TIMEOUT_MS: whole(12_000, 1_000, 1_800_000),
  ASSAY_KAFKA_PREFIX: z
    .string()
    .regex(/^[\w.-]{1,60}$/, 'must be 1 to 60 letters, digits, ".", "_" and "-"')
    .optional(),
  ASSAY_KAFKA_TLS: switchedOn('off'),
  ASSAY_KAFKA_SASL: z.enum(['plain', 'scram-sha-256', 'scram-sha-512']).optional(),
  ASSAY_KAFKA_USERNAME: z.string().optional(),
  ASSAY_KAFKA_PASSWORD: z.string().optional(),
}

/** Variables for the files of runs. */
export const artifactVariables = {
  ASSAY_ARTIFACTS: z.enum(['filesystem', 's3']).default('filesystem'),
  ASSAY_RESULTS_DIR: z.string().min(1).optional(),
  ASSAY_S3_BUCKET: z
    .string()
    .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'must be the name of a bucket, such as assay-results')
    .optional(),
  ASSAY_S3_PREFIX: z
    .string()
    .regex(/^[A-Za-z0-9._=-]+(\/[A-Za-z0-9._=-]+)*\/?$/, 'must be names of A-Za-z0-9._=- joined by /')
    .max(200, 'must be at most 200 characters')
    .optional(),
  ASSAY_S3_REGION: z
    .string()
    .regex(/^[a-z0-9-]{1,40}$/, 'must be a region such as us-east-1')
    .default('us-east-1'),
  ASSAY_S3_ENDPOINT: z
    .string()
    .regex(/^https?:\/\/[^/?#@\s]+\/?$/, 'must be an address such as http://minio:9000, without a path')
    .optional(),
  ASSAY_S3_PATH_STYLE: switchedOn('off'),
  ASSAY_S3_ACCESS_KEY_ID: z.string().min(1).optional(),
  ASSAY_S3_SECRET_ACCESS_KEY: z.string().min(1).optional(),
}

/** Variables of the data engine, whose child processes read the data. */
export const engineVariables = {
  ASSAY_ALLOWED_PATHS: allowedFolders.optional(),
  ASSAY_ALLOWED_BROKERS: allowedBrokers.optional(),
  ASSAY_ALLOWED_HOSTS: allowedHosts.optional(),
  ...sealingVariables,
  ASSAY_TEMP_DIR: z.string().min(1).optional(),
  ASSAY_MAX_RUNS: whole(2, 1, 64),
  ASSAY_RUN_MEMORY_MB: whole(512, 64, 1_048_576),
  ASSAY_SHORT_TASK_MEMORY_MB: whole(512, 64, 1_048_576).optional(),
  ASSAY_RUN_THREADS: whole(0, 0, 1024),
}

/** The variables of every service. */
export const serviceVariables = { ...processVariables, ...storeVariables, ...busVariables }

/** The variables of a service that reads sources and stores files. */
export const engineServiceVariables = { ...serviceVariables, ...artifactVariables, ...engineVariables }
