import { isIP } from 'node:net'
import { z } from 'zod'

/** Whether a text is the name or the address of a host, without a port. */
export const isHost = (text: string): boolean =>
  isIP(text) !== 0 || /^[a-z\d_](?:[a-z\d._-]{0,251}[a-z\d_])?\.?$/i.test(text)

const seconds = (fallback: number, most: number) =>
  z.int().min(1).max(most, `must be at most ${most} seconds`).default(fallback)
const name = z.string().min(1, 'must not be empty').max(255)

/** The settings of a database that is reached over the network. `password` is sealed in everything that is stored. */
export const databaseSettings = (port: number) => ({
  host: z.string().refine(isHost, 'must be the name or the address of a host, without a port, such as db.example.com'),
  port: z.int().min(1).max(65_535).default(port),
  database: name,
  user: name,
  password: z.string().max(10_000),
  /** Default: all schemas except those of the system. */
  schemas: z.array(name).min(1).max(1000).optional(),
  /** `true`: only verified TLS. `false`: never TLS. Default: TLS if the server offers it, without verification. */
  tls: z.boolean().optional(),
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
})

/** Settings that are secret. */
export const databaseSecrets = ['password'] as const
