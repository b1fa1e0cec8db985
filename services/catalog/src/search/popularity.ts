import type { Collection, Condition, Documents } from '@assay/documents'
import type { Clock } from '@assay/service-kit'
import { policyUses } from '../policy-uses/policy-uses.ts'
import { votes } from '../vote/aggregate.ts'
import { watchCopies } from '../watch-copies/watch-copies.ts'

/** Maximum number of votes, watches and policies of a tenant that are read. */
const most = 10_000
const page = 1_000
const freshMilliseconds = 1_000

/** The popularity of assets: votes up minus votes down, plus one for each watching user and each policy. */
export interface Popularity {
  /** Scores by asset id, at most a second old. `now`: reads the store. */
  of(tenant: string, now: boolean): Promise<ReadonlyMap<number, number>>
  /** Called after a write that affects scores, so that the next request reads the store. */
  changed(tenant: string): void
}

/** The first 10,000 votes, watches and policies of a tenant count. */
export function createPopularity(deps: { documents: Documents; clock: Clock }): Popularity {
  const { documents, clock } = deps
  const known = new Map<string, { at: number; scores: Promise<ReadonlyMap<number, number>> }>()

  async function* all<T>(
    collection: Collection<T>,
    tenant: string,
    where: readonly Condition[] = [],
  ): AsyncIterable<T> {
    for (let at = 0; at * page < most; at += 1) {
      const { documents: found } = await documents.find(collection, tenant, { where, page: at, size: page })
      yield* found
      if (found.length < page) return
    }
  }

  async function read(tenant: string): Promise<ReadonlyMap<number, number>> {
    const scores = new Map<number, number>()
    const add = (assetId: number, by: number) => scores.set(assetId, (scores.get(assetId) ?? 0) + by)
    for await (const { assetId, vote } of all(votes, tenant)) add(assetId, vote === 'UP' ? 1 : -1)
    for await (const { assetId } of all(watchCopies, tenant, [{ field: 'watching', is: true }])) add(assetId, 1)
    for await (const { assetIds, archived } of all(policyUses, tenant))
      if (!archived) for (const assetId of assetIds) add(assetId, 1)
    return scores
  }

  return {
    async of(tenant, now) {
      const held = known.get(tenant)
      if (held !== undefined && !now && clock.now() - held.at < freshMilliseconds) return held.scores
      const scores = read(tenant)
      if (known.size >= 1000) known.clear()
      known.set(tenant, { at: clock.now(), scores })
      // A failure is not cached.
      scores.catch(() => known.delete(tenant))
      return scores
    },
    changed: (tenant) => void known.delete(tenant),
  }
}
