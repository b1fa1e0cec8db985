/**
 * Detects a join that failed silently. A new coordinator that is still loading its groups refuses a join. The driver
 * then continues to fetch with its earlier partitions and membership, or with none. It does not join again unless a
 * broker objects, so messages that wait for the join would wait forever.
 *
 * A join is triggered either when all fetches have ended, or within one fetch, while fetches from other brokers
 * continue.
 */
export interface JoinWatch {
  /** A join begins. */
  joins(): void
  joined(): void
  /** The driver joins again. It has ended all fetches. */
  rebalancing(): void
  /** A fetch from a broker begins. Returns true if this proves that the last join has failed. */
  fetches(broker: number): boolean
  fetched(broker: number): void
}

export function createJoinWatch(): JoinWatch {
  /** Brokers whose fetch is in progress or has failed. */
  const open = new Set<number>()
  let joining = false
  /** Brokers whose fetches were open when the join began. One of these fetches may have triggered the join. */
  let mayJoin = new Set<number>()

  return {
    joins() {
      joining = true
      mayJoin = new Set(open)
    },
    joined() {
      joining = false
    },
    rebalancing: () => open.clear(),
    fetches(broker) {
      // A broker is polled again only after its previous fetch has ended. After a failed fetch, it is polled again only
      // when all fetches have ended.
      const isOver = joining && (mayJoin.size === 0 || mayJoin.has(broker))
      open.add(broker)
      return isOver
    },
    fetched(broker) {
      open.delete(broker)
      mayJoin.delete(broker)
    },
  }
}
