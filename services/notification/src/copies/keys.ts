import { type KeyMessage, keyMessage, type Permission } from '@assay/contracts'
import { type DocumentPut, type Documents, defineCollection, documentPut, foldedCase } from '@assay/documents'
import type { Clock } from '@assay/service-kit'
import { type About, readable } from '../notification/about.ts'

const keyCopy = keyMessage.omit({ revision: true, tenant: true })

/** The keys of the tenant's users, by the hash of the access key. */
export const notificationKeys = defineCollection<Omit<KeyMessage, 'revision' | 'tenant'>>({
  name: 'notification_keys',
  version: 2,
  idType: 'text',
  schema: keyCopy,
  fields: {
    user: { type: 'text', of: ({ user }) => user },
    /** For mentions, which ignore case. */
    foldedUser: { type: 'text', of: ({ user }) => foldedCase(user) },
    isActive: { type: 'boolean', of: ({ isActive }) => isActive },
    validTill: { type: 'integer', of: ({ validTill }) => Date.parse(validTill) },
  },
})

/** The put for a message of a key. Keys belong to the system's streams, but to the tenant in the message. Pure. */
export function keyCopyPut(_tenant: string, message: KeyMessage, position: string): DocumentPut {
  const { revision, tenant, ...copy } = message
  return documentPut(notificationKeys, tenant, copy.keyId, copy, { revision, position })
}

const keysAtOnce = 200

/** Whether a user has a valid key that may read rows about `about`. */
export type MayRead = (tenant: string, user: string, about: About) => Promise<boolean>

/** Whether a user has a valid key with all of these permissions. */
export type HoldsPermissions = (tenant: string, user: string, needed: readonly Permission[]) => Promise<boolean>

interface Deps {
  documents: Pick<Documents, 'find'>
  clock: Clock
}

/** The subjects that each valid key of a user may read. */
export type ReadableByKeys = (tenant: string, user: string) => Promise<readonly (readonly About[])[]>

/** The permissions of each valid key of a user. */
async function* validKeys(
  { documents, clock }: Deps,
  { tenant, user }: { tenant: string; user: string },
): AsyncGenerator<ReadonlySet<Permission>> {
  // The end is exclusive, and in whole milliseconds.
  const where = [
    { field: 'user', is: user },
    { field: 'isActive', is: true },
    { field: 'validTill', from: clock.now() + 1 },
  ]
  for (let page = 0; ; page += 1) {
    const found = await documents.find(notificationKeys, tenant, { where, page, size: keysAtOnce })
    for (const { permissions } of found.documents) yield new Set(permissions)
    if (found.documents.length < keysAtOnce) return
  }
}

/** Whether a user has a valid key whose permissions suffice. */
async function hasKey(
  deps: Deps,
  of: { tenant: string; user: string },
  suffice: (held: ReadonlySet<Permission>) => boolean,
): Promise<boolean> {
  for await (const held of validKeys(deps, of)) if (suffice(held)) return true
  return false
}

const readableBy = (held: ReadonlySet<Permission>) => (held.has('NOTIFICATION_VIEW') ? readable(held) : [])

export function createReadableByKeys(deps: Deps): ReadableByKeys {
  return async (tenant, user) => {
    const abouts: About[][] = []
    for await (const held of validKeys(deps, { tenant, user })) abouts.push(readableBy(held))
    return abouts
  }
}

export function createMayRead(deps: Deps): MayRead {
  return (tenant, user, about) => hasKey(deps, { tenant, user }, (held) => readableBy(held).includes(about))
}

export function createHoldsPermissions(deps: Deps): HoldsPermissions {
  return (tenant, user, needed) => hasKey(deps, { tenant, user }, (held) => needed.every((one) => held.has(one)))
}
