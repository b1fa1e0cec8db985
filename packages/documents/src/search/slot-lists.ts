/** Slots of names in ascending order. */
export type SlotList = readonly number[]

/** The list at `at`. Creates the list if it is missing. */
export function listAt<T>(lists: Map<string, T[]>, at: string): T[] {
  const known = lists.get(at)
  if (known !== undefined) return known
  const made: T[] = []
  lists.set(at, made)
  return made
}

/** Appends a slot, which must not be less than the last one. Appending the last one again has no effect. */
export function pushOnce(list: number[], slot: number): void {
  if (list.length === 0 || list[list.length - 1] !== slot) list.push(slot)
}
