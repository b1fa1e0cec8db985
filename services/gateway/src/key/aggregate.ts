import { permissions } from '@assay/contracts'
import { defineCollection, documentPut } from '@assay/documents'
import type { Aggregate } from '@assay/event-store'
import { z } from 'zod'
import { decideKey, type KeyCommand } from './decide.ts'
import { evolveKey, initialKey, type KeyEvent, type KeyState } from './key.ts'

/** A key with the hashes of its secrets; its id is the hash of the access key. Times are ISO 8601 text. */
const keyDocument = z.object({
  status: z.enum(['active', 'revoked']),
  tenant: z.string(),
  accessKey: z.string(),
  secretHash: z.string(),
  displayName: z.string(),
  user: z.string(),
  createdBy: z.string(),
  createdAt: z.string(),
  validTill: z.string(),
  permissions: z.array(z.enum(permissions)),
  retiring: z.array(z.object({ secretHash: z.string(), validTill: z.string() })),
  suspended: z.boolean(),
  userRevision: z.int(),
  serviceUserId: z.string().optional(),
})
export type KeyDocument = z.infer<typeof keyDocument>

export const apiKeys = defineCollection<KeyDocument>({
  name: 'api_keys',
  version: 2,
  idType: 'text',
  schema: keyDocument,
  fields: {
    tenant: { type: 'text', of: (key) => key.tenant },
    user: { type: 'text', of: (key) => key.user },
    status: { type: 'text', of: (key) => key.status },
    serviceUserId: { type: 'text', of: (key) => key.serviceUserId ?? null },
    displayName: { type: 'text', of: (key) => key.displayName },
    createdAt: { type: 'integer', of: (key) => Date.parse(key.createdAt) },
    validTill: { type: 'integer', of: (key) => Date.parse(key.validTill) },
  },
})

/** When a key was last used, to the minute. Not event-sourced, so a rebuild keeps it. */
const keyUse = z.object({ lastUsedAt: z.int() })

export const apiKeyUses = defineCollection<z.infer<typeof keyUse>>({
  name: 'api_key_uses',
  version: 1,
  idType: 'text',
  schema: keyUse,
  fields: {},
})

/** Streams of the system tenant, with the hash of the access key as id. */
export const keyAggregate: Aggregate<KeyState, KeyCommand, KeyEvent> = {
  category: 'key',
  decider: { initialState: initialKey, decide: decideKey, evolve: evolveKey },
  schemaVersion: 1,
  documents(state, key, source) {
    if (state.status === 'absent') return []
    const document = { ...state, permissions: [...state.permissions], retiring: [...state.retiring] }
    return [documentPut(apiKeys, key.tenant, key.id, document, source)]
  },
}
