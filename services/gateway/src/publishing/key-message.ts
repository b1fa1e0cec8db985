import type { KeyMessage } from '@assay/contracts'
import type { KeyState } from '../key/key.ts'

/**
 * The owner, permissions and validity of a key, for the local read models of other services. `keyId`: the hash of the
 * access key. Pure.
 */
export function keyMessageOf(
  { state, revision }: { state: KeyState; revision: number },
  keyId: string,
): KeyMessage | undefined {
  if (state.status === 'absent') return undefined
  const { tenant, user, permissions, validTill, status, suspended } = state
  const isActive = status === 'active' && !suspended
  return { revision, tenant, keyId, user, permissions: [...permissions], validTill, isActive }
}
