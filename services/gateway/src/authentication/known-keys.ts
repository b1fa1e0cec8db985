import type { Documents } from '@assay/documents'
import type { Clock } from '@assay/service-kit'
import { systemTenant } from '../dependencies.ts'
import { apiKeys, type KeyDocument } from '../key/aggregate.ts'
import { createRecentlyUsed } from '../recently-used.ts'
import type { Now } from './now.ts'

/** How long a revocation by another replica can go unseen here. */
const freshMilliseconds = 5_000
const capacity = 10_000

/** Keys by the hash of their access key, looked up again after five seconds at most. */
export interface KnownKeys {
  /**
   * `undefined`: there is no such key. A store that cannot be asked is an error, never `undefined`. A promise only where
   * the store has to be asked.
   */
  get(accessKeyHash: string): Now<KeyDocument | undefined>
  /** To be called after every change of a key, so that it holds at once in this process. */
  forget(accessKeyHash: string): void
}

export function createKnownKeys(deps: { documents: Documents; clock: Clock }): KnownKeys {
  const { documents, clock } = deps
  // Keys that are not there are remembered too: known and unknown ones then take the same time.
  const entries = createRecentlyUsed<{ key: KeyDocument | undefined; loadedAt: number }>(capacity)
  let changes = 0

  async function load(accessKeyHash: string): Promise<KeyDocument | undefined> {
    const loadedAt = clock.now()
    const before = changes
    const key = (await documents.get(apiKeys, systemTenant, accessKeyHash))?.document
    // A change during the look-up may be missing in what was read.
    if (before === changes) entries.set(accessKeyHash, { key, loadedAt })
    return key
  }

  return {
    get(accessKeyHash) {
      const entry = entries.get(accessKeyHash)
      const age = entry === undefined ? freshMilliseconds : clock.now() - entry.loadedAt
      return entry !== undefined && age >= 0 && age < freshMilliseconds ? entry.key : load(accessKeyHash)
    },
    forget(accessKeyHash) {
      changes += 1
      entries.delete(accessKeyHash)
    },
  }
}
