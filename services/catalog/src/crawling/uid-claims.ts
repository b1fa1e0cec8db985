/**
 * UIDs that this process is about to assign. The log reserves the UID of a table by its stream's name; columns have no
 * streams, so two tables written concurrently could otherwise use one UID for two columns. `UidReservations` does the
 * same across replicas.
 */
export interface UidClaims {
  /** `taken`: claimed for another asset. `own`: claimed for the same asset, by another caller. */
  claim(tenant: string, uid: string, assetKey: string): 'claimed' | 'taken' | 'own'
  release(tenant: string, uids: readonly string[]): void
}

export function createUidClaims(): UidClaims {
  const claims = new Map<string, string>()
  const keyOf = (tenant: string, uid: string) => JSON.stringify([tenant, uid])
  return {
    claim(tenant, uid, assetKey) {
      const key = keyOf(tenant, uid)
      const holder = claims.get(key)
      if (holder !== undefined) return holder === assetKey ? 'own' : 'taken'
      claims.set(key, assetKey)
      return 'claimed'
    },
    release(tenant, uids) {
      for (const uid of uids) claims.delete(keyOf(tenant, uid))
    },
  }
}
