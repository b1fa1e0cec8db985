/**
 * Finds the join that has failed without anybody being told. A new coordinator that still loads its groups refuses a join;
 * the driver then goes on to fetch, with the partitions and the membership from before or with none, and does not join
 * again as long as nobody objects. What is held back for the join would be so for ever.
 *
 * A join is asked for either when all fetches have ended, or within one of them, while those from other brokers go on.
 */
export interface JoinWatch {
  /** Partitions are asked for. */
  joins(): void
  joined(): void
  /** The driver joins again: it has ended all fetches before. */
  rebalancing(): void
  /** A fetch from a broker begins. True where that shows that the last join has failed. */
  fetches(broker: number): boolean
  fetched(broker: number): void
}

export function createJoinWatch(): JoinWatch {
  /** Brokers of the fetches that have begun and not answered: they are under way, or have failed. */
  const open = new Set<number>()
  let joining = false
  /** The open ones when the join was begun: one of them may have asked for it. */
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
      // A broker is asked again only after the fetch before has ended, and after one that failed only when all have.
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
