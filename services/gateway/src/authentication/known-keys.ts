import type { Documents } from '@assay/documents'
import type { Clock } from '@assay/service-kit'
import { systemTenant } from '../dependencies.ts'
import { apiKeys, type KeyDocument } from '../key/aggregate.ts'
import { createRecentlyUsed } from '../recently-used.ts'

/** How long a revocation by another replica can go unseen here. */
const freshMilliseconds = 5_000
const capacity = 10_000

/** Keys by the hash of their access key, looked up again after five seconds at most. */
export interface KnownKeys {
  /** `undefined`: there is no such key. A store that cannot be asked is an error, never `undefined`. */
  get(accessKeyHash: string): Promise<KeyDocument | undefined>
  /** To be called after every change of a key, so that it holds at once in this process. */
  forget(accessKeyHash: string): void
}

export function createKnownKeys(deps: { documents: Documents; clock: Clock }): KnownKeys {
  const { documents, clock } = deps
  // Keys that are not there are remembered too: known and unknown ones then take the same time.
  const entries = createRecentlyUsed<{ key: KeyDocument | undefined; loadedAt: number }>(capacity)
  let changes = 0
  return {
    async get(accessKeyHash) {
      const entry = entries.get(accessKeyHash)
      const now = clock.now()
      if (entry && now - entry.loadedAt >= 0 && now - entry.loadedAt < freshMilliseconds) return entry.key
      const before = changes
      const key = (await documents.get(apiKeys, systemTenant, accessKeyHash))?.document
      // A change during the look-up may be missing in what was read.
      if (before === changes) entries.set(accessKeyHash, { key, loadedAt: now })
      return key
    },
    forget(accessKeyHash) {
      changes += 1
      entries.delete(accessKeyHash)
    },
  }
}
