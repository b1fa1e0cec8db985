import { databaseSecrets, isServerSource, isTrinoSource, type Source, storeSecrets } from '@assay/data-engine'
import { AssayError } from '@assay/service-kit/errors'
import { z } from 'zod'

/** Replaces secrets in answers. If a request sends it, the stored secret is kept. */
export const mask = '***'

/** Secret keys of a configuration. Files are opened by path, and brokers without a user. */
export const secretKeys: { readonly [sourceType in Source['sourceType']]: readonly string[] } = {
  FILE: [],
  SQLITE: [],
  DUCKDB: [],
  KAFKA: [],
  POSTGRESQL: databaseSecrets,
  MYSQL: databaseSecrets,
  MARIADB: databaseSecrets,
  TRINO: databaseSecrets,
  AWS_S3: storeSecrets,
}

/** The configuration in records: with masked secrets, and without the source type, which is a field of the record. */
export function maskedConfiguration(
  source: Source,
  secrets: readonly string[] = secretKeys[source.sourceType],
): { [key: string]: unknown } {
  const { sourceType: _, ...configuration } = source
  return Object.fromEntries(
    Object.entries(configuration).map(([key, value]) => [key, secrets.includes(key) ? mask : value]),
  )
}

/**
 * The request's configuration with each masked secret replaced by the stored one. A mask without a stored secret stays.
 */
export function withKeptSecrets(
  sent: { readonly [key: string]: unknown },
  stored: { readonly [key: string]: unknown },
  secrets: readonly string[],
): { [key: string]: unknown } {
  return Object.fromEntries(
    Object.entries(sent).map(([key, value]) => [
      key,
      secrets.includes(key) && value === mask && stored[key] !== undefined ? stored[key] : value,
    ]),
  )
}

/** The settings that decide who can read a password on its way. A store never gets its secret, only signatures. */
function receiverOf(of: Source): { [field: string]: string | number | boolean } {
  if (isTrinoSource(of)) return { url: new URL(of.url).origin }
  return isServerSource(of) ? { host: of.host, port: of.port, tls: of.tls === true } : {}
}

/**
 * Throws `invalid` if `of` sends a secret that it keeps from `before` to another server, or without the TLS of `before`:
 * whoever may change an assembly could read its password there.
 */
export function assertSecretsStay(of: Source, before: Source): void {
  const [then, now] = [receiverOf(before), receiverOf(of)]
  const kept = Object.entries(of).find(
    ([key, value]) => secretKeys[of.sourceType].includes(key) && new Map(Object.entries(before)).get(key) === value,
  )
  const field = Object.keys(now).find((key) => (key === 'tls' ? then.tls === true && !now.tls : then[key] !== now[key]))
  if (kept === undefined || field === undefined) return
  const problem = field === 'tls' ? 'no longer demands TLS' : 'names another server'
  throw new AssayError('invalid', `configuration.${field}: ${problem}, so configuration.${kept[0]} must be sent too.`)
}

/**
 * A configuration with each secret sealed; those kept from `stored` are sealed already. Throws `invalid` for a mask
 * without a stored secret.
 */
export function withSealedSecrets<S extends Source>(
  of: S,
  stored: { readonly [key: string]: unknown },
  seal: (secret: string) => string,
): S {
  const sealed = { ...of }
  for (const [key, value] of Object.entries(of)) {
    if (!secretKeys[of.sourceType].includes(key) || typeof value !== 'string' || value === stored[key]) continue
    if (value === mask)
      throw new AssayError(
        'invalid',
        `configuration.${key}: there is no stored value for ${mask}. Send the value itself.`,
      )
    Object.assign(sealed, { [key]: seal(value) })
  }
  return sealed
}

const stored = z.record(z.string(), z.json())

/** A configuration as JSON, for documents and messages. */
export function storedSource(of: Source): z.infer<typeof stored> {
  return stored.parse(JSON.parse(JSON.stringify(of)))
}
