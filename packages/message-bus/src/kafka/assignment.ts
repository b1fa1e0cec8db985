/** A group member, as the leader of the group sees it. */
export interface GroupMember {
  id: string
  topics: readonly string[]
  /** The partitions that the member had, and whose state it has in memory. */
  held: Readonly<Record<string, readonly number[]>>
}

export type Assignment = Record<string, number[]>

/**
 * Assigns each partition to one of the members that subscribe to its topic. For each topic, the members' numbers of
 * partitions differ by at most one. Within this rule a member keeps its partitions, because another member would have
 * to load their state.
 */
export function assignPartitions(
  members: readonly GroupMember[],
  partitions: ReadonlyMap<string, readonly number[]>,
): Map<string, Assignment> {
  const assigned = new Map<string, Assignment>(members.map(({ id }) => [id, {}]))
  const totals = new Map<string, number>(members.map(({ id }) => [id, 0]))
  const sorted = members.toSorted((a, b) => (a.id < b.id ? -1 : 1))

  for (const topic of [...partitions.keys()].toSorted()) {
    const followers = sorted.filter(({ topics }) => topics.includes(topic))
    if (followers.length === 0) continue
    const all = partitions.get(topic) ?? []
    const least = Math.floor(all.length / followers.length)
    let extras = all.length % followers.length
    const given = new Map<string, number[]>(followers.map(({ id }) => [id, []]))
    const free = new Set(all)
    for (const { id, held } of followers) {
      const mine = given.get(id) ?? []
      for (const partition of held[topic] ?? []) {
        if (!free.has(partition) || mine.length > least) continue
        if (mine.length === least && extras-- <= 0) {
          extras = 0
          continue
        }
        mine.push(partition)
        free.delete(partition)
      }
    }
    const load = (id: string) => given.get(id)?.length ?? 0
    for (const partition of free) {
      const [taker] = followers.toSorted(
        (a, b) => load(a.id) - load(b.id) || (totals.get(a.id) ?? 0) - (totals.get(b.id) ?? 0),
      )
      if (taker !== undefined) given.get(taker.id)?.push(partition)
    }
    for (const [id, mine] of given) {
      totals.set(id, (totals.get(id) ?? 0) + mine.length)
      if (mine.length > 0) (assigned.get(id) ?? {})[topic] = mine.toSorted((a, b) => a - b)
    }
  }
  return assigned
}
