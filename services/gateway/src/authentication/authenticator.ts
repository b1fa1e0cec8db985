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
  const hash = (hex: string) => Buffer.from(hex, 'hex')
  return {
    secrets: [
      { hash: hash(secretHash), validTill: Number.POSITIVE_INFINITY },
      ...retiring.map((old) => ({ hash: hash(old.secretHash), validTill: Date.parse(old.validTill) })),
    ],
    permissions: new Set(permissions),
    validTill: Date.parse(validTill),
  }
}

/** Compared with the secret of an unknown key, so that the refusal takes as long as that of a known key. */
const nobody: Pick<Prepared, 'secrets'> = { secrets: [{ hash: Buffer.alloc(32), validTill: 0 }] }

/** Whether the secret works at `now`. Compares every secret, so that the time does not reveal which one matches. */
function secretFits({ secrets }: Pick<Prepared, 'secrets'>, secretHash: string, now: number): boolean {
  const sent = Buffer.from(secretHash, 'hex')
  let fits = false
  for (const { hash, validTill } of secrets) fits = (timingSafeEqual(hash, sent) && validTill > now) || fits
  return fits
}

/**
 * Finds the caller of a request, synchronously if the key was looked up recently. Every failure is the same
 * `unauthenticated`; a store that fails is `unavailable`.
 */
export interface Authenticator {
  ofHeaders(headers: Headers): MaybePromise<Identity>
  /** `hasBegun`: the token has opened a stream, which may outlive it but not its key. */
  ofToken(token: string, options?: { hasBegun?: boolean }): MaybePromise<Identity>
}

export function createAuthenticator(deps: {
  knownKeys: KnownKeys
  uses: KeyUses
  clock: Clock
  eventTokens: Pick<EventTokens, 'read'>
}): Authenticator {
  const { knownKeys, uses, clock, eventTokens } = deps
  const prepared = new WeakMap<KeyDocument, Prepared>()
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
    const fits = secretFits((key && preparedOf(key)) ?? nobody, hashOf(secretKey), clock.now())
    return admitted(accessKey, id, fits ? key : undefined)
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
      return andThen(knownKeys.get(id), (found) => admitted(read.accessKey, id, found))
    },
  }
}
