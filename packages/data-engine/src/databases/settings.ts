import { isIP } from 'node:net'
import { z } from 'zod'

/** Whether a text is the name or the address of a host, without a port. */
export const isHost = (text: string): boolean =>
  isIP(text) !== 0 || /^[a-z\d_](?:[a-z\d._-]{0,251}[a-z\d_])?\.?$/i.test(text)

const seconds = (fallback: number, most: number) =>
  z.int().min(1).max(most, `must be at most ${most} seconds`).default(fallback)
const name = z.string().min(1, 'must not be empty').max(255)

const password = z.string().max(10_000)
/** Default: all schemas except those of the system. */
const schemas = z.array(name).min(1).max(1000).optional()

/** How a database may be used. */
const use = {
  /** Certificates (PEM) of the authorities that may have signed the server's certificate. Default: well-known ones. */
  tlsCa: z
    .string()
    .max(100_000)
    .regex(/^\s*-----BEGIN CERTIFICATE-----/, 'must be certificates in PEM form')
    .optional(),
  connectTimeoutSeconds: seconds(5, 60),
  statementTimeoutSeconds: seconds(3600, 86_400),
  /** Maximum number of concurrent sessions per process of Assay. */
  maxConcurrentQueries: z.int().min(1).max(32, 'must be at most 32').default(4),
}

/** The settings of a database that is reached over the network. `password` is sealed in everything that is stored. */
export const databaseSettings = (port: number) => ({
  host: z.string().refine(isHost, 'must be the name or the address of a host, without a port, such as db.example.com'),
  port: z.int().min(1).max(65_535).default(port),
  database: name,
  user: name,
  password,
  schemas,
  /** `true`: only verified TLS. `false`: never TLS. Default: TLS if the server offers it, without verification. */
  tls: z.boolean().optional(),
  ...use,
})

/** Whether a text is the address of a server, without a path or a user. */
export const isServerUrl = (text: string): boolean => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.hostname === '') return false
  return url.pathname === '/' && [url.username, url.password, url.search, url.hash].every((part) => part === '')
}

/** The settings of a Trino cluster. `password` is sealed in everything that is stored. */
export const trinoSettings = {
  /** The coordinator. `https:` is always verified. */
  url: z
    .string()
    .max(1000)
    .refine(
      isServerUrl,
      'must be the address of the coordinator without a path, such as https://trino.example.com:8443',
    ),
  user: name
    .regex(/^[\x21-\x7e]+$/, 'must be ASCII characters without blanks')
    .refine((user) => !user.includes(':'), "must not contain ':'"),
  password: password.min(1, 'must not be empty').optional(),
  catalog: name,
  schemas,
  ...use,
}

/** A password would travel in clear. */
export const hasSafePassword = ({ url, password: given }: { url: string; password?: string | undefined }): boolean =>
  given === undefined || url.toLowerCase().startsWith('https:')

/** Settings that are secret. */
export const databaseSecrets = ['password'] as const
