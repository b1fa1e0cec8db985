import type { Facts, Finding, KeyUseSeen, KnownKey } from './facts.ts'

const minute = 60_000
const minuteOf = (at: number): number => Math.floor(at / minute) * minute
/** How long a use may stand in memory only. */
const unwrittenMs = 15_000

function ofUse({ tenant, id, lastUsedAt }: KeyUseSeen, key: KnownKey | undefined, now: number): Finding[] {
  if (key === undefined || key.tenant !== tenant)
    return [{ kind: 'foreign-key-use', about: `${tenant} ${id}`, passing: true }]
  const isTime = lastUsedAt === minuteOf(lastUsedAt) && lastUsedAt >= minuteOf(key.madeAt) && lastUsedAt <= now
  return isTime ? [] : [{ kind: 'wrong-key-use', about: `${id} at ${lastUsedAt}`, passing: false }]
}

/**
 * When keys were used last stands in no log, so it cannot be made again. What can be said of it: each is of a key that
 * there is, in its tenant, to the minute, not before it was made and not to come, and none is behind what the log tells of
 * writes with that key by more than the time until it is written.
 */
export function checkKeyUses({ keyUses: { known, seen }, now }: Pick<Facts, 'keyUses' | 'now'>): Finding[] {
  const byId = new Map(seen.map((use) => [use.id, use]))
  const keys = new Map(known.map((key) => [key.id, key]))
  return [
    ...seen.flatMap((use) => ofUse(use, keys.get(use.id), now)),
    ...known.flatMap(({ id, wroteAt }): Finding[] => {
      if (wroteAt === undefined || (byId.get(id)?.lastUsedAt ?? 0) >= minuteOf(wroteAt - unwrittenMs)) return []
      return [{ kind: 'stale-key-use', about: `${id} wrote at ${wroteAt}`, passing: true }]
    }),
  ]
}
