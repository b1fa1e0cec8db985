/** How many slots there are, and how many of them one tenant may hold at a time. */
export interface SlotLimits {
  capacity: number
  /** Absent: all of them, while nobody else waits. */
  perTenant?: number
}

interface Line<T> {
  waiting: T[]
  held: number
  /** When it was served last, as a number that grows. */
  servedAt: number
}

/**
 * A concurrency limiter with a queue for each tenant. A free slot goes to the tenant that holds the fewest, of equals to
 * the one that was served longest ago: a thousand items of one tenant never delay the first item of another.
 */
export interface TenantSlots<T> {
  add(tenant: string, item: T): void
  /** The next item, which holds a slot until `release`; `undefined` where none waits that may have one. */
  take(): { tenant: string; item: T } | undefined
  release(tenant: string): void
  /** Drops an item that waits. `false` where it does not. */
  withdraw(tenant: string, item: T): boolean
  /** Items that wait, of one tenant or of all, oldest of each tenant first. */
  waiting(tenant?: string): readonly T[]
  waitingTenants(): readonly string[]
  readonly held: number
  readonly waitingCount: number
  /** Whether an item that is added now would have to wait. */
  isFull(tenant: string): boolean
}

export function createTenantSlots<T>({ capacity, perTenant = capacity }: SlotLimits): TenantSlots<T> {
  const lines = new Map<string, Line<T>>()
  let held = 0
  let waitingCount = 0
  let serves = 0

  function lineOf(tenant: string): Line<T> {
    const known = lines.get(tenant)
    if (known !== undefined) return known
    const line: Line<T> = { waiting: [], held: 0, servedAt: 0 }
    lines.set(tenant, line)
    return line
  }

  function forgetIdle(tenant: string, line: Line<T>): void {
    if (line.held === 0 && line.waiting.length === 0) lines.delete(tenant)
  }

  const comesBefore = (one: Line<T>, other: Line<T>) =>
    one.held === other.held ? one.servedAt < other.servedAt : one.held < other.held

  return {
    add(tenant, item) {
      lineOf(tenant).waiting.push(item)
      waitingCount += 1
    },
    take() {
      if (held >= capacity) return undefined
      let next: { tenant: string; line: Line<T> } | undefined
      for (const [tenant, line] of lines)
        if (line.waiting.length > 0 && line.held < perTenant && (!next || comesBefore(line, next.line)))
          next = { tenant, line }
      if (next === undefined) return undefined
      const { tenant, line } = next
      const [item] = line.waiting.splice(0, 1)
      if (item === undefined) return undefined
      serves += 1
      waitingCount -= 1
      held += 1
      line.held += 1
      line.servedAt = serves
      return { tenant, item }
    },
    release(tenant) {
      const line = lines.get(tenant)
      if (line === undefined || line.held === 0) return
      line.held -= 1
      held -= 1
      forgetIdle(tenant, line)
    },
    withdraw(tenant, item) {
      const line = lines.get(tenant)
      const at = line?.waiting.indexOf(item) ?? -1
      if (line === undefined || at === -1) return false
      line.waiting.splice(at, 1)
      waitingCount -= 1
      forgetIdle(tenant, line)
      return true
    },
    waiting: (tenant) =>
      tenant === undefined
        ? [...lines.values()].flatMap(({ waiting }) => waiting)
        : [...(lines.get(tenant)?.waiting ?? [])],
    waitingTenants: () => [...lines].flatMap(([tenant, { waiting }]) => (waiting.length > 0 ? [tenant] : [])),
    get held() {
      return held
    },
    get waitingCount() {
      return waitingCount
    },
    isFull: (tenant) => held >= capacity || (lines.get(tenant)?.held ?? 0) >= perTenant,
  }
}
