import { isDeepStrictEqual } from 'node:util'
import {
  asSentence,
  type ChannelType,
  channelConfigurations,
  pathText,
  strictly,
  unknownFieldSentence,
  unknownFields,
} from '@assay/contracts'
import { AssayError, isAssayError } from '@assay/service-kit/errors'
import { z } from 'zod'

/** Replaces secrets in answers. If a request sends this mask, the stored secret is kept. */
export const mask = '***'

const stored = z.record(z.string(), z.json())
/** A configuration whose secrets are sealed. */
export type StoredConfiguration = z.infer<typeof stored>
const texts = z.record(z.string(), z.string())

/** Keys with secrets. Values of headers are secrets, too; the secret of a webhook is kept elsewhere. */
const secretKeys: Readonly<Record<ChannelType, readonly string[]>> = {
  WEBHOOK: [],
  SLACK: ['url'],
  TEAMS: ['url'],
  EMAIL: [],
  PAGERDUTY: ['routingKey'],
  OPSGENIE: ['apiKey'],
}

const problemOf = (error: z.ZodError) =>
  error.issues.map(({ path, message }) => `${pathText(['configuration', ...path])}: ${message}`).join('; ')

/** Replaces each secret of a configuration by the result of `change`. */
export function withSecrets(
  type: ChannelType,
  configuration: StoredConfiguration,
  change: (secret: string) => string,
): StoredConfiguration {
  const changed = { ...configuration }
  for (const [key, value] of Object.entries(configuration)) {
    if (typeof value === 'string' && secretKeys[type].includes(key)) changed[key] = change(value)
    if (key === 'headers')
      changed[key] = Object.fromEntries(Object.entries(texts.parse(value)).map(([name, of]) => [name, change(of)]))
  }
  return changed
}

/** The configuration in records. The path of a chat's URL is the secret. */
export function masked(
  type: ChannelType,
  configuration: StoredConfiguration,
  open: (sealed: string) => string,
): { [key: string]: unknown } {
  const shown: { [key: string]: unknown } = withSecrets(type, configuration, () => mask)
  if ((type === 'SLACK' || type === 'TEAMS') && typeof configuration.url === 'string')
    shown.url = maskedUrl(configuration.url, open)
  if (type === 'WEBHOOK') shown.secret = mask
  return shown
}

function maskedUrl(sealed: string, open: (sealed: string) => string): string {
  try {
    return `${new URL(open(sealed)).origin}/${mask}`
  } catch (error) {
    // Owners must be able to read a channel, and to send its secrets again, even if the sealing key was lost.
    if (isAssayError(error, 'unavailable')) return mask
    throw error
  }
}

/** Whether a value in a request stands for a secret: the mask, or the masked URL of a chat. */
function isMask(value: unknown): boolean {
  return value === mask || (typeof value === 'string' && /^https?:\/\/[^/]+\/\*\*\*$/.test(value))
}

/** Whether a masked value stands for this secret. The masked URL of another server does not. */
function standsFor(value: unknown, secret: unknown): boolean {
  return secret !== undefined && (value === mask || value === `${originOf({ url: secret })}/${mask}`)
}

/** Parsing drops this key, so it is refused before. */
function assertNoProto(headers: unknown): void {
  if (typeof headers !== 'object' || headers === null || !Object.hasOwn(headers, '__proto__')) return
  throw new AssayError(
    'invalid',
    'configuration.headers.__proto__: is a name that no header can have. Use another one.',
  )
}

const noSecret = (field: string) =>
  new AssayError('invalid', `configuration.${field}: must be the secret itself; ${mask} only stands for a stored one.`)

/** The headers of a request with masked values replaced by the stored ones. */
function mergedHeaders(sent: unknown, before: unknown): unknown {
  assertNoProto(sent)
  const { success, data } = texts.safeParse(sent)
  if (!success) return sent
  const kept = new Map(Object.entries(texts.optional().parse(before) ?? {}))
  const merge = ([name, value]: [string, string]) => {
    const secret = value === mask ? kept.get(name) : value
    if (secret === undefined) throw noSecret(`headers.${name}`)
    return [name, secret]
  }
  return Object.fromEntries(Object.entries(data).map(merge))
}

/**
 * Merges `sent` into `before`, both in clear. Absent fields and masked secrets keep their values. Throws `invalid` for a
 * mask without a stored secret, and for a header named `__proto__`.
 */
export function merged(
  sent: { readonly [key: string]: unknown },
  before: StoredConfiguration | undefined,
): { [key: string]: unknown } {
  const all: { [key: string]: unknown } = { ...before }
  for (const [key, value] of Object.entries(sent)) {
    if (isMask(value)) {
      if (standsFor(value, before?.[key])) continue
      throw noSecret(key)
    }
    if (value === null || value === undefined) continue
    all[key] = key === 'headers' ? mergedHeaders(value, before?.headers) : value
  }
  return all
}

/** A sealed configuration with the earlier sealed values of fields that stay the same in clear, so that they do not change. */
export function keptSealed(
  sealed: StoredConfiguration,
  of: { before: StoredConfiguration; clear: StoredConfiguration; after: { readonly [key: string]: unknown } },
): StoredConfiguration {
  const kept = Object.entries(of.before).filter(([key]) => isDeepStrictEqual(of.clear[key], of.after[key]))
  return { ...sealed, ...Object.fromEntries(kept) }
}

const originOf = (configuration: { readonly [key: string]: unknown }): string | undefined =>
  typeof configuration.url === 'string' && URL.canParse(configuration.url)
    ? new URL(configuration.url).origin
    : undefined

/**
 * Throws `invalid` if `after` sends a secret of `before` to another server, both in clear: whoever may change a channel
 * could read its secrets there. `sent`: the request.
 */
export function assertSecretsStay(
  type: ChannelType,
  sent: { readonly [key: string]: unknown },
  { before, after }: { before: StoredConfiguration; after: { readonly [key: string]: unknown } },
): void {
  if (originOf(before) === originOf(after)) return
  const isKept = (value: unknown) => value === undefined || value === null || isMask(value)
  const ofHeaders = texts.safeParse(
    sent.headers ?? Object.fromEntries(Object.keys(before.headers ?? {}).map((n) => [n, mask])),
  )
  const kept = [
    ...secretKeys[type].filter((key) => before[key] !== undefined && isKept(sent[key])),
    ...Object.entries(ofHeaders.data ?? {}).flatMap(([name, value]) => (value === mask ? [`headers.${name}`] : [])),
  ]
  if (kept.length === 0) return
  const names = kept.map((name) => `configuration.${name}`).join(', ')
  throw new AssayError('invalid', `configuration.url: names another server, so ${names} must be sent too.`)
}

const urlOf = z.object({ url: z.string() })
const secretOf = z.object({ secret: z.string() })

/**
 * Checks a configuration in clear by the type of its channel. Throws `invalid`. Returns the secret of a webhook
 * separately, because it is stored elsewhere.
 */
export function checked(
  type: ChannelType,
  configuration: { readonly [key: string]: unknown },
): { configuration: StoredConfiguration; secret: string | undefined; url: URL | undefined } {
  const { refused } = unknownFields(strictly(channelConfigurations[type]), configuration, 'configuration')
  if (refused.length > 0) throw new AssayError('invalid', refused.map(unknownFieldSentence).join(' '))
  const parsed = channelConfigurations[type].safeParse(configuration)
  if (!parsed.success) throw new AssayError('invalid', asSentence(problemOf(parsed.error)))
  const { secret } = secretOf.safeParse(parsed.data).data ?? {}
  const url = urlOf.safeParse(parsed.data).data?.url
  if (type === 'OPSGENIE' && url !== undefined && /[?#]/.test(url))
    throw new AssayError('invalid', 'configuration.url: must end with a path, because paths are added to it.')
  const { secret: _, ...kept } = stored.parse(parsed.data)
  return { configuration: kept, secret, url: url === undefined ? undefined : new URL(url) }
}
