/** The number of slots, and the maximum per tenant. */
export interface SlotLimits {
  capacity: number
  /** Absent: all of them, as long as no other tenant waits. */
  perTenant?: number
  /** A tenant leaves one slot free for others once another tenant was ever served: held slots may be held for hours. */
  keepsOneForOthers?: boolean
}

interface Line<T> {
  /** Waiting items by key. */
  waiting: Map<string, T[]>
  held: number
}

/**
 * A concurrency limiter with a queue for each tenant. A free slot goes to the tenant that holds the fewest, then to the
 * one served longest ago: a thousand items of one tenant never delay the first item of another. Within a tenant, keys
 * rotate, item by item.
 */
export interface TenantSlots<T> {
  /** `key`: who of the tenant asks. Absent: all such items share one key. */
  add(tenant: string, item: T, key?: string): void
  /** The next item, which holds a slot until `release`; `undefined` if no waiting item may start. */
  take(): { tenant: string; item: T } | undefined
  release(tenant: string): void
  /** Drops a waiting item. `false` if it does not wait. */
  withdraw(tenant: string, item: T): boolean
  /** Waiting items of one tenant or of all, oldest of each key first. */
  waiting(tenant?: string): readonly T[]
  waitingTenants(): readonly string[]
  readonly held: number
  readonly waitingCount: number
  /** Whether an item that is added now would have to wait. */
  isFull(tenant: string): boolean
}

export function createTenantSlots<T>({
  capacity,
  perTenant = capacity,
  keepsOneForOthers = false,
}: SlotLimits): TenantSlots<T> {
  const lines = new Map<string, Line<T>>()
  /**
   * When each tenant, and each of its keys, was served last, as a number that grows. Kept while it is idle: one that adds an
   * item at a time would go first for ever.
   */
  const servedAt = new Map<string, { at: number; keys: Map<string, number> }>()
  let held = 0
  let waitingCount = 0
  let serves = 0

  function lineOf(tenant: string): Line<T> {
    const known = lines.get(tenant)
    if (known !== undefined) return known
    const line: Line<T> = { waiting: new Map(), held: 0 }
    lines.set(tenant, line)
    return line
  }

  function forgetIdle(tenant: string, line: Line<T>): void {
    if (line.held === 0 && line.waiting.size === 0) lines.delete(tenant)
  }

  const itemsOf = (line: Line<T> | undefined) => [...(line?.waiting.values() ?? [])].flat()

  const share = () =>
    keepsOneForOthers && servedAt.size > 1 ? Math.min(perTenant, Math.max(1, capacity - 1)) : perTenant

  type Turn = { tenant: string; line: Line<T> }
  const lastServed = ({ tenant }: Turn) => servedAt.get(tenant)?.at ?? 0
  const comesBefore = (one: Turn, other: Turn) =>
    one.line.held === other.line.held ? lastServed(one) < lastServed(other) : one.line.held < other.line.held

  return {
    add(tenant, item, key = '') {
      const { waiting } = lineOf(tenant)
      const known = waiting.get(key)
      if (known === undefined) waiting.set(key, [item])
      else known.push(item)
      waitingCount += 1
    },
    take() {
      if (held >= capacity) return undefined
      let next: Turn | undefined
      for (const [tenant, line] of lines)
        if (line.waiting.size > 0 && line.held < share() && (!next || comesBefore({ tenant, line }, next)))
          next = { tenant, line }
      if (next === undefined) return undefined
      const { tenant, line } = next
      const { keys } = servedAt.get(tenant) ?? { keys: new Map<string, number>() }
      const [key = ''] = [...line.waiting.keys()].sort((one, other) => (keys.get(one) ?? 0) - (keys.get(other) ?? 0))
      const [item, ...rest] = line.waiting.get(key) ?? []
      if (item === undefined) return undefined
      if (rest.length > 0) line.waiting.set(key, rest)
      else line.waiting.delete(key)
      serves += 1
      waitingCount -= 1
      held += 1
      line.held += 1
      servedAt.set(tenant, { at: serves, keys: keys.set(key, serves) })
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
      const [key, items] = [...(line?.waiting ?? [])].find(([, some]) => some.includes(item)) ?? []
      if (line === undefined || key === undefined || items === undefined) return false
      items.splice(items.indexOf(item), 1)
      if (items.length === 0) line.waiting.delete(key)
      waitingCount -= 1
      forgetIdle(tenant, line)
      return true
    },
    waiting: (tenant) => (tenant === undefined ? [...lines.values()].flatMap(itemsOf) : itemsOf(lines.get(tenant))),
    waitingTenants: () => [...lines].flatMap(([tenant, { waiting }]) => (waiting.size > 0 ? [tenant] : [])),
    get held() {
      return held
    },
    get waitingCount() {
      return waitingCount
    },
    isFull: (tenant) => held >= capacity || (lines.get(tenant)?.held ?? 0) >= share(),
  }
}
