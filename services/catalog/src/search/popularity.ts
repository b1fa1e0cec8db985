import type { Documents } from '@assay/documents'
import type { Clock } from '@assay/service-kit'
import { votes } from '../vote/aggregate.ts'
import { watchCopies } from '../watch-copies/watch-copies.ts'

/** Votes and watches of a tenant that are counted. */
const most = 10_000
const page = 1_000
const freshMilliseconds = 1_000

/** What votes and uses say of assets: votes up less votes down, and one for each user who watches. */
export interface Popularity {
  /** By asset id. At most a second old; `now`: what stands in the store at this moment. */
  of(tenant: string, now: boolean): Promise<ReadonlyMap<number, number>>
}

/** The first 10,000 votes and the first 10,000 watches of a tenant count. */
export function createPopularity(deps: { documents: Documents; clock: Clock }): Popularity {
  const { documents, clock } = deps
  const known = new Map<string, { at: number; scores: Promise<ReadonlyMap<number, number>> }>()

  async function read(tenant: string): Promise<ReadonlyMap<number, number>> {
    const scores = new Map<number, number>()
    const add = (assetId: number, by: number) => scores.set(assetId, (scores.get(assetId) ?? 0) + by)
    for (let at = 0; at * page < most; at += 1) {
      const { documents: found } = await documents.find(votes, tenant, { page: at, size: page })
      for (const { assetId, vote } of found) add(assetId, vote === 'UP' ? 1 : -1)
      if (found.length < page) break
    }
    for (let at = 0; at * page < most; at += 1) {
      const { documents: found } = await documents.find(watchCopies, tenant, { page: at, size: page })
      for (const { assetId } of found) add(assetId, 1)
      if (found.length < page) break
    }
    return scores
  }

  return {
    async of(tenant, now) {
      const held = known.get(tenant)
      if (held !== undefined && !now && clock.now() - held.at < freshMilliseconds) return held.scores
      const scores = read(tenant)
      if (known.size >= 1000) known.clear()
      known.set(tenant, { at: clock.now(), scores })
      // One that failed is not kept.
      scores.catch(() => known.delete(tenant))
      return scores
    },
  }
}
