import type { Candidate } from './worker.ts'

/** The waiting work that a worker takes next. */
export interface Shortlist {
  add(candidate: Candidate): void
  /** Takes the oldest candidate of each tenant in rounds; each round is sorted by age. `isCut`: more work waits. */
  taken(): { candidates: Candidate[]; isCut: boolean }
}

function byAge(a: Candidate, b: Candidate): number {
  if (a.startedAt !== b.startedAt) return a.startedAt < b.startedAt ? -1 : 1
  // Most ids are numbers, so shorter ones are older.
  return a.id.length - b.id.length || (a.id < b.id ? -1 : 1)
}

/**
 * Stores at most `2 * ofTenant` candidates per tenant and returns at most `inAll`, so that a tenant with very many
 * requests neither fills the memory nor delays other tenants.
 */
export function createShortlist({ ofTenant, inAll }: { ofTenant: number; inAll: number }): Shortlist {
  const tenants = new Map<string, Candidate[]>()
  let isCut = false

  function oldest(candidates: Candidate[]): Candidate[] {
    isCut ||= candidates.length > ofTenant
    return candidates.sort(byAge).slice(0, ofTenant)
  }

  return {
    add(candidate) {
      const known = tenants.get(candidate.tenant)
      if (known === undefined) {
        tenants.set(candidate.tenant, [candidate])
        return
      }
      known.push(candidate)
      if (known.length >= 2 * ofTenant) tenants.set(candidate.tenant, oldest(known))
    },
    taken() {
      const queues = [...tenants.values()].map(oldest)
      const longest = Math.max(0, ...queues.map(({ length }) => length))
      const candidates: Candidate[] = []
      for (let turn = 0; turn < longest && candidates.length < inAll; turn++)
        candidates.push(...queues.flatMap((queue) => queue[turn] ?? []).sort(byAge))
      return { candidates: candidates.slice(0, inAll), isCut: isCut || queues.flat().length > inAll }
    },
  }
}
