import { timingSafeEqual } from 'node:crypto'
import type { Permission } from '@assay/contracts'
import type { Clock, Identity } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import type { EventTokens } from '../event-tokens/event-tokens.ts'
import type { KeyDocument } from '../key/aggregate.ts'
import { hashOf, keyForm } from '../keys/key-text.ts'
import type { KeyUses } from '../keys/key-uses.ts'
import { createRecentlyUsed } from '../recently-used.ts'
import { type Credentials, credentialsIn, type Headers } from './credentials.ts'
import type { KnownKeys } from './known-keys.ts'
import { andThen, type MaybePromise } from './maybe-promise.ts'

/** Maximum number of access keys whose hashes are cached. */
const maxIds = 10_000

const noCredentials: Credentials = { accessKey: '', secretKey: '' }

interface Secret {
  /** SHA-256. */
  hash: Buffer
  /** Names it in tokens, which do not show the hash. */
  id: string
  /** Exclusive, in milliseconds since 1970. */
  validTill: number
}

/** A key in the form that is compared with each request. A cached key is converted once. */
interface Prepared {
  secrets: readonly Secret[]
  permissions: ReadonlySet<Permission>
  /** Exclusive, in milliseconds since 1970. */
  validTill: number
}

function prepare({ secretHash, retiring, permissions, validTill }: KeyDocument): Prepared {
  const secret = (hex: string, till: number): Secret => ({
    hash: Buffer.from(hex, 'hex'),
    id: hashOf(hex),
    validTill: till,
  })
  return {
    secrets: [
      secret(secretHash, Number.POSITIVE_INFINITY),
      ...retiring.map((old) => secret(old.secretHash, Date.parse(old.validTill))),
    ],
    permissions: new Set(permissions),
    validTill: Date.parse(validTill),
  }
}

/** Compared with the secret of an unknown key, so that the refusal takes as long as that of a known key. */
const nobody: Pick<Prepared, 'secrets'> = { secrets: [{ hash: Buffer.alloc(32), id: '', validTill: 0 }] }

/** The secret that works at `now`. Compares every secret, so that the time does not reveal which one matches. */
function fitting({ secrets }: Pick<Prepared, 'secrets'>, secretHash: string, now: number): Secret | undefined {
  const sent = Buffer.from(secretHash, 'hex')
  let fits: Secret | undefined
  for (const secret of secrets) fits = timingSafeEqual(secret.hash, sent) && secret.validTill > now ? secret : fits
  return fits
}

/**
 * Finds the caller of a request, synchronously if the key was looked up recently. Every failure is the same
 * `unauthenticated`; a store that fails is `unavailable`.
 */
export interface Authenticator {
  ofHeaders(headers: Headers): MaybePromise<Identity>
  /** `hasBegun`: the token has opened a stream, which may outlive it but not its key, nor the secret of its caller. */
  ofToken(token: string, options?: { hasBegun?: boolean }): MaybePromise<Identity>
}

/** Issues a token for the stream of events to an identity of `ofHeaders`. */
export type TokenFor = (identity: Identity, ttlSeconds: number) => ReturnType<EventTokens['issue']>

export function createAuthenticator(deps: {
  knownKeys: KnownKeys
  uses: KeyUses
  clock: Clock
  eventTokens: EventTokens
}): Authenticator & { tokenFor: TokenFor } {
  const { knownKeys, uses, clock, eventTokens } = deps
  const prepared = new WeakMap<KeyDocument, Prepared>()
  /** The secrets by which identities were found: a token ends with the secret of its caller. */
  const secretIds = new WeakMap<Identity, string>()
  // Caches the ids of unknown keys too, so that known and unknown keys take the same time.
  const ids = createRecentlyUsed<string>(maxIds)
  function idOf(accessKey: string): string {
    const known = ids.get(accessKey)
    if (known !== undefined) return known
    const id = hashOf(accessKey)
    ids.set(accessKey, id)
    return id
  }
  function preparedOf(key: KeyDocument): Prepared {
    const known = prepared.get(key)
    if (known !== undefined) return known
    const made = prepare(key)
    prepared.set(key, made)
    return made
  }
  function identified({ accessKey, secretKey }: Credentials, id: string, key: KeyDocument | undefined): Identity {
    const secret = fitting((key && preparedOf(key)) ?? nobody, hashOf(secretKey), clock.now())
    const identity = admitted(accessKey, id, secret && key)
    if (secret !== undefined) secretIds.set(identity, secret.id)
    return identity
  }

  /** Throws unless the key works now. */
  function admitted(accessKey: string, id: string, key: KeyDocument | undefined): Identity {
    const now = clock.now()
    const known = key && preparedOf(key)
    if (!key || !known || key.status !== 'active' || key.suspended || known.validTill <= now)
      throw new AssayError('unauthenticated', 'Authentication by the key pair failed.')
    uses.note(id, now)
    return { tenant: key.tenant, user: key.user, accessKey, permissions: known.permissions }
  }

  return {
    ofHeaders(headers) {
      const credentials = credentialsIn(headers) ?? noCredentials
      if (!keyForm.test(credentials.accessKey)) return identified(credentials, '', undefined)
      const id = idOf(credentials.accessKey)
      return andThen(knownKeys.get(id), (found) => identified(credentials, id, found))
    },
    ofToken(token, { hasBegun = false } = {}) {
      const read = eventTokens.read(token)
      if (read === undefined || (!hasBegun && read.until <= clock.now()))
        return identified(noCredentials, '', undefined)
      const id = idOf(read.accessKey)
      return andThen(knownKeys.get(id), (found) => {
        const works = (secret: Secret) => secret.id === read.secretId && secret.validTill > clock.now()
        return admitted(read.accessKey, id, found && preparedOf(found).secrets.some(works) ? found : undefined)
      })
    },
    tokenFor(identity, ttlSeconds) {
      const secretId = secretIds.get(identity)
      if (secretId === undefined) throw new AssayError('internal', 'The secret of the caller is not known.')
      return eventTokens.issue({ accessKey: identity.accessKey, secretId }, ttlSeconds)
    },
  }
}
