import { timingSafeEqual } from 'node:crypto'
import type { Permission } from '@assay/contracts'
import type { Clock, Identity } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import type { KeyDocument } from '../key/aggregate.ts'
import { hashOf, keyForm } from '../keys/key-text.ts'
import type { KeyUses } from '../keys/key-uses.ts'
import { type Credentials, credentialsIn, type Headers } from './credentials.ts'
import type { KnownKeys } from './known-keys.ts'
import { andThen, type MaybePromise } from './maybe-promise.ts'

const noCredentials: Credentials = { accessKey: '', secretKey: '' }

/** Compared with the secret of an unknown key, so that the refusal takes as long as that of a known key. */
const nobody = { secretHash: '0'.repeat(64), retiring: [] }

function same(left: string, right: string): boolean {
  return timingSafeEqual(Buffer.from(left, 'hex'), Buffer.from(right, 'hex'))
}

/** Whether the secret works at `now`. Compares every secret, so that the time does not reveal which one matches. */
function secretFits(key: Pick<KeyDocument, 'secretHash' | 'retiring'>, secretHash: string, now: number): boolean {
  const present = same(key.secretHash, secretHash)
  const retiring = key.retiring.map((old) => same(old.secretHash, secretHash) && Date.parse(old.validTill) > now)
  return present || retiring.includes(true)
}

/**
 * Finds the caller of a request, synchronously if the key was looked up recently. Every failure is the same
 * `unauthenticated`; a store that fails is `unavailable`.
 */
export function createAuthenticator(deps: {
  knownKeys: KnownKeys
  uses: KeyUses
  clock: Clock
}): (headers: Headers) => MaybePromise<Identity> {
  const { knownKeys, uses, clock } = deps
  const sets = new WeakMap<KeyDocument, ReadonlySet<Permission>>()
  // A key is cached for some seconds, and its permission set with it.
  const permissionsOf = (key: KeyDocument): ReadonlySet<Permission> => {
    const known = sets.get(key) ?? new Set(key.permissions)
    sets.set(key, known)
    return known
  }
  function identified(credentials: Credentials, id: string, key: KeyDocument | undefined): Identity {
    const now = clock.now()
    const fits = secretFits(key ?? nobody, hashOf(credentials.secretKey), now)
    if (!key || !fits || key.status !== 'active' || key.suspended || Date.parse(key.validTill) <= now)
      throw new AssayError('unauthenticated', 'Authentication by the key pair failed.')
    uses.note(id, now)
    return { tenant: key.tenant, user: key.user, accessKey: credentials.accessKey, permissions: permissionsOf(key) }
  }

  return (headers) => {
    const credentials = credentialsIn(headers) ?? noCredentials
    const id = hashOf(credentials.accessKey)
    const key = keyForm.test(credentials.accessKey) ? knownKeys.get(id) : undefined
    return andThen(key, (found) => identified(credentials, id, found))
  }
}
