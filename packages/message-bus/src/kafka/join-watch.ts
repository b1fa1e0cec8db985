/**
 * Detects a join that failed silently. A new coordinator that still loads its groups refuses a join; the driver then
 * continues to fetch with its earlier partitions and membership, or with none, and does not join again unless a broker
 * objects. Messages that wait for the join would wait forever.
 *
 * A join is triggered either when all fetches have ended, or within one of them, while those from other brokers
 * continue.
 */
export interface JoinWatch {
  /** A join begins. */
  joins(): void
  joined(): void
  /** The driver joins again, after it has ended all fetches. */
  rebalancing(): void
  /** A fetch from a broker begins. True if that proves that the last join has failed. */
  fetches(broker: number): boolean
  fetched(broker: number): void
}

export function createJoinWatch(): JoinWatch {
  /** Brokers whose fetch is in progress or has failed. */
  const open = new Set<number>()
  let joining = false
  /** Brokers whose fetches were open when the join began; one of these fetches may have triggered it. */
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
      // A broker is polled again only after the previous fetch has ended, and after a failed one only when all have.
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
