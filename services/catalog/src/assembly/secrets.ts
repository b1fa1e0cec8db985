import type { Source } from '@assay/data-engine'

/** What stands in an answer where a secret is; sent back, it keeps the secret. */
export const mask = '***'

/** Keys of a configuration that are never shown. None of today's sources has any: files and database files are opened by path. */
export const secretKeys: { readonly [sourceType in Source['sourceType']]: readonly string[] } = {
  FILE: [],
  SQLITE: [],
  DUCKDB: [],
}

/** The configuration as it is shown: without the source type, which stands beside it, and with secrets masked. */
export function maskedConfiguration(
  source: Source,
  secrets: readonly string[] = secretKeys[source.sourceType],
): { [key: string]: unknown } {
  const { sourceType: _, ...configuration } = source
  return Object.fromEntries(
    Object.entries(configuration).map(([key, value]) => [key, secrets.includes(key) ? mask : value]),
  )
}

/** What was sent, with each masked secret replaced by the stored one. A mask without a stored secret stays as it is. */
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
