import type { SideName } from '../kinds/judging.ts'

/** The columns that a policy compares. */
export interface Mapped {
  readonly mappings: readonly { leftColumnName: string; rightColumnName: string }[]
}

export type IsHidden = (side: SideName, column: string) => boolean

/**
 * Also hides each column that is compared with a hidden one, in all its pairs, because it usually has the same values.
 * Pure.
 */
export function hiddenInPairs(pairs: readonly { left: string; right: string }[], isHidden: IsHidden): IsHidden {
  const keyOf = (side: SideName, column: string) => `${side} ${column.toLowerCase()}`
  const hidden = new Set<string>()
  const linked = pairs.map(({ left, right }) => {
    const keys = [keyOf('LEFT', left), keyOf('RIGHT', right)] as const
    if (isHidden('LEFT', left) || isHidden('RIGHT', right)) for (const key of keys) hidden.add(key)
    return keys
  })
  let before: number
  do {
    before = hidden.size
    for (const keys of linked) if (keys.some((key) => hidden.has(key))) for (const key of keys) hidden.add(key)
  } while (hidden.size > before)
  return (side, column) => hidden.has(keyOf(side, column)) || isHidden(side, column)
}
