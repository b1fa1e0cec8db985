import type { Facts, Finding, KeyUseSeen, KnownKey } from './facts.ts'

const minute = 60_000
const minuteOf = (at: number): number => Math.floor(at / minute) * minute
/** Maximum time for which a use of a key exists only in memory, in milliseconds. */
const unwrittenMs = 15_000

function ofUse({ tenant, id, lastUsedAt }: KeyUseSeen, key: KnownKey | undefined, now: number): Finding[] {
  if (key === undefined || key.tenant !== tenant)
    return [{ kind: 'foreign-key-use', about: `${tenant} ${id}`, isTransient: true }]
  const isTime = lastUsedAt === minuteOf(lastUsedAt) && lastUsedAt >= minuteOf(key.madeAt) && lastUsedAt <= now
  return isTime ? [] : [{ kind: 'wrong-key-use', about: `${id} at ${lastUsedAt}`, isTransient: false }]
}

/**
 * Checks the last uses of keys. No event records them, so they cannot be rebuilt. Each use must belong to an existing
 * key of its tenant. Its time must be a whole minute, not before the key's creation, and not in the future. It may be
 * earlier than the key's last logged write only by the time for which a use may exist only in memory.
 */
export function checkKeyUses({ keyUses: { known, seen }, now }: Pick<Facts, 'keyUses' | 'now'>): Finding[] {
  const byId = new Map(seen.map((use) => [use.id, use]))
  const keys = new Map(known.map((key) => [key.id, key]))
  return [
    ...seen.flatMap((use) => ofUse(use, keys.get(use.id), now)),
    ...known.flatMap(({ id, wroteAt }): Finding[] => {
      if (wroteAt === undefined || (byId.get(id)?.lastUsedAt ?? 0) >= minuteOf(wroteAt - unwrittenMs)) return []
      return [{ kind: 'stale-key-use', about: `${id} wrote at ${wroteAt}`, isTransient: true }]
    }),
  ]
}
