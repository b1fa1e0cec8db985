/** The number of slots, and the maximum per tenant. */
export interface SlotLimits {
  capacity: number
  /** Maximum number of slots of one tenant. Default: all slots, while no other tenant waits. */
  perTenant?: number
  /**
   * Whether one slot is reserved: once a second tenant was served, no tenant may take the last slot, because slots may
   * be held for hours.
   */
  reservesOneForOthers?: boolean
}

interface TenantQueue<T> {
  /** Waiting items by key. */
  waiting: Map<string, T[]>
  held: number
}

/**
 * A concurrency limiter with a queue for each tenant. A free slot goes to the tenant that holds the fewest slots. Among
 * these, it goes to the tenant that was served longest ago. So a thousand items of one tenant never delay the first
 * item of another. Within a tenant, keys are served round-robin.
 */
export interface TenantSlots<T> {
  /** `key`: the access key of the request. Items without one share a key. */
  add(tenant: string, item: T, key?: string): void
  /** Takes the next item, which holds a slot until `release`. `undefined` if no waiting item may start. */
  take(): { tenant: string; item: T } | undefined
  release(tenant: string): void
  /** Removes a waiting item. `false` if the item does not wait. */
  withdraw(tenant: string, item: T): boolean
  /** Waiting items of one tenant, or of all tenants; the oldest of each key comes first. */
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
  reservesOneForOthers = false,
}: SlotLimits): TenantSlots<T> {
  const queues = new Map<string, TenantQueue<T>>()
  /**
   * When each tenant, and each of its keys, was last served, as an increasing number. It is also kept for idle tenants:
   * otherwise a tenant that adds items one by one would always be served first.
   */
  const servedAt = new Map<string, { at: number; keys: Map<string, number> }>()
  let held = 0
  let waitingCount = 0
  let serves = 0

  function queueOf(tenant: string): TenantQueue<T> {
    const known = queues.get(tenant)
    if (known !== undefined) return known
    const queue: TenantQueue<T> = { waiting: new Map(), held: 0 }
    queues.set(tenant, queue)
    return queue
  }

  function forgetIdle(tenant: string, queue: TenantQueue<T>): void {
    if (queue.held === 0 && queue.waiting.size === 0) queues.delete(tenant)
  }

  const itemsOf = (queue: TenantQueue<T> | undefined) => [...(queue?.waiting.values() ?? [])].flat()

  const share = () =>
    reservesOneForOthers && servedAt.size > 1 ? Math.min(perTenant, Math.max(1, capacity - 1)) : perTenant

  type Turn = { tenant: string; queue: TenantQueue<T> }
  const lastServed = ({ tenant }: Turn) => servedAt.get(tenant)?.at ?? 0
  const comesBefore = (one: Turn, other: Turn) =>
    one.queue.held === other.queue.held ? lastServed(one) < lastServed(other) : one.queue.held < other.queue.held

  return {
    add(tenant, item, key = '') {
      const { waiting } = queueOf(tenant)
      const known = waiting.get(key)
      if (known === undefined) waiting.set(key, [item])
      else known.push(item)
      waitingCount += 1
    },
    take() {
      if (held >= capacity) return undefined
      let next: Turn | undefined
      for (const [tenant, queue] of queues)
        if (queue.waiting.size > 0 && queue.held < share() && (!next || comesBefore({ tenant, queue }, next)))
          next = { tenant, queue }
      if (next === undefined) return undefined
      const { tenant, queue } = next
      const { keys } = servedAt.get(tenant) ?? { keys: new Map<string, number>() }
      const [key = ''] = [...queue.waiting.keys()].sort((one, other) => (keys.get(one) ?? 0) - (keys.get(other) ?? 0))
      const [item, ...rest] = queue.waiting.get(key) ?? []
      if (item === undefined) return undefined
      if (rest.length > 0) queue.waiting.set(key, rest)
      else queue.waiting.delete(key)
      serves += 1
      waitingCount -= 1
      held += 1
      queue.held += 1
      servedAt.set(tenant, { at: serves, keys: keys.set(key, serves) })
      return { tenant, item }
    },
    release(tenant) {
      const queue = queues.get(tenant)
      if (queue === undefined || queue.held === 0) return
      queue.held -= 1
      held -= 1
      forgetIdle(tenant, queue)
    },
    withdraw(tenant, item) {
      const queue = queues.get(tenant)
      const [key, items] = [...(queue?.waiting ?? [])].find(([, some]) => some.includes(item)) ?? []
      if (queue === undefined || key === undefined || items === undefined) return false
      items.splice(items.indexOf(item), 1)
      if (items.length === 0) queue.waiting.delete(key)
      waitingCount -= 1
      forgetIdle(tenant, queue)
      return true
    },
    waiting: (tenant) => (tenant === undefined ? [...queues.values()].flatMap(itemsOf) : itemsOf(queues.get(tenant))),
    waitingTenants: () => [...queues].flatMap(([tenant, { waiting }]) => (waiting.size > 0 ? [tenant] : [])),
    get held() {
      return held
    },
    get waitingCount() {
      return waitingCount
    },
    isFull: (tenant) => held >= capacity || (queues.get(tenant)?.held ?? 0) >= share(),
  }
}
