import type { Source } from '@assay/data-engine'

/** Replaces secrets in answers. If a request sends it, the stored secret is kept. */
export const mask = '***'

/** Secret keys of a configuration. Current sources have none: files are opened by path, and brokers without a user. */
export const secretKeys: { readonly [sourceType in Source['sourceType']]: readonly string[] } = {
  FILE: [],
  SQLITE: [],
  DUCKDB: [],
  KAFKA: [],
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
