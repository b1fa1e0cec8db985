/** Slots of names, rising. */
export type SlotList = readonly number[]

/** The list at `at`, made where there is none. */
export function listAt<T>(lists: Map<string, T[]>, at: string): T[] {
  const known = lists.get(at)
  if (known !== undefined) return known
  const made: T[] = []
  lists.set(at, made)
  return made
}

/** Adds a slot that is not lower than the last one, which it may be. */
export function pushOnce(list: number[], slot: number): void {
  if (list.length === 0 || list[list.length - 1] !== slot) list.push(slot)
}
