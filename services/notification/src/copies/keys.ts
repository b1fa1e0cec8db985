import { type KeyMessage, keyMessage } from '@assay/contracts'
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

export function createMayRead({ documents, clock }: { documents: Pick<Documents, 'find'>; clock: Clock }): MayRead {
  return async (tenant, user, about) => {
    // The end is exclusive, and in whole milliseconds.
    const where = [
      { field: 'user', is: user },
      { field: 'isActive', is: true },
      { field: 'validTill', from: clock.now() + 1 },
    ]
    for (let page = 0; ; page += 1) {
      const found = await documents.find(notificationKeys, tenant, { where, page, size: keysAtOnce })
      const keys = found.documents.map(({ permissions }) => new Set(permissions))
      if (keys.some((held) => held.has('NOTIFICATION_VIEW') && readable(held).includes(about))) return true
      if (found.documents.length < keysAtOnce) return false
    }
  }
}
