import type { Operation } from '@assay/contracts'

/** Every nth operation of each service, from the one at `first` on. */
export interface SpotChecks {
  readonly every: number
  readonly first?: number
}

/**
 * One row of the table declares the same operation for each of the policy types, so the types share its code. Keeps the
 * operation for the first type, and for every fourth of the other types, which differ from operation to operation. Also
 * keeps each operation whose body has its own schema. With `ASSAY_EVERY_TYPE=on`, keeps all.
 */
function withoutTwins(list: readonly Operation[]): Operation[] {
  if (process.env.ASSAY_EVERY_TYPE === 'on') return [...list]
  const groups = new Map<string, { place: number; size: number }>()
  const bodies = new Set<Operation['body']>()
  return list.filter(({ method, path, permissions, body }) => {
    const key = `${method} ${path.replace(/\/rules\/[a-z-]+\//, '/rules/*/')} ${permissions.join()}`
    const group = groups.get(key) ?? { place: groups.size, size: 0 }
    groups.set(key, group)
    const isFirst = group.size === 0
    const hasOwnBody = body !== undefined && !bodies.has(body)
    bodies.add(body)
    group.size += 1
    return isFirst || hasOwnBody || (group.place + group.size) % 4 === 0
  })
}

/**
 * The operations of a suite: of operations that share code, only some, and of these only the selected ones. Without
 * `SpotChecks`, all operations.
 */
export function spotChecked(list: readonly Operation[], { every, first = 0 }: SpotChecks = { every: 1 }): Operation[] {
  const counts = new Map<string, number>()
  return withoutTwins(list).filter(({ service }) => {
    const at = counts.get(service) ?? 0
    counts.set(service, at + 1)
    return at % every === first
  })
}
