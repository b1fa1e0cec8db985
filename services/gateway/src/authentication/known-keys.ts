import type { Documents } from '@assay/documents'
import type { Clock } from '@assay/service-kit'
import { systemTenant } from '../dependencies.ts'
import { apiKeys, type KeyDocument } from '../key/aggregate.ts'
import { createRecentlyUsed } from '../recently-used.ts'
import type { MaybePromise } from './maybe-promise.ts'

/** Maximum time in milliseconds until this process notices a revocation by another replica. */
const freshMilliseconds = 5_000
const capacity = 10_000

/** Cache of keys by the hash of their access key, for at most five seconds. */
export interface KnownKeys {
  /**
   * `undefined` if there is no such key. Rejects if the store fails. Returns a promise only if it has to ask the store.
   */
  get(accessKeyHash: string): MaybePromise<KeyDocument | undefined>
  /** Call after every change of a key, so that this process applies it immediately. */
  forget(accessKeyHash: string): void
}

export function createKnownKeys(deps: { documents: Documents; clock: Clock }): KnownKeys {
  const { documents, clock } = deps
  // Unknown keys are cached too, so that known and unknown keys take the same time.
  const entries = createRecentlyUsed<{ key: KeyDocument | undefined; loadedAt: number }>(capacity)
  let changes = 0

  async function load(accessKeyHash: string): Promise<KeyDocument | undefined> {
    const loadedAt = clock.now()
    const before = changes
    const key = (await documents.get(apiKeys, systemTenant, accessKeyHash))?.document
    // If a key changed during the look-up, the result may be stale.
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
