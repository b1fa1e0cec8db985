import type { Operation } from '@assay/contracts'

/** Every nth operation of each service, from the one at `first` on. */
export interface SpotChecks {
  readonly every: number
  readonly first?: number
}

/** The selected operations; all without `SpotChecks`. */
export function spotChecked(list: readonly Operation[], { every, first = 0 }: SpotChecks = { every: 1 }): Operation[] {
  const counts = new Map<string, number>()
  return list.filter(({ service }) => {
    const at = counts.get(service) ?? 0
    counts.set(service, at + 1)
    return at % every === first
  })
}
