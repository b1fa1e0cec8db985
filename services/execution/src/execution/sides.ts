import type { EachSide } from '@assay/reliability'

/** Maps each side, in order. Pure. */
export function bySide<T, R>([first, ...others]: EachSide<T>, of: (one: T, index: number) => R): [R, ...R[]] {
  return [of(first, 0), ...others.map((one, index) => of(one, index + 1))]
}

/** Like `bySide`, for asynchronous work. Handles one side at a time. */
export async function bySideInTurn<T, R>(
  [first, ...others]: EachSide<T>,
  of: (one: T, index: number) => Promise<R>,
): Promise<[R, ...R[]]> {
  const found: [R, ...R[]] = [await of(first, 0)]
  for (const [index, one] of others.entries()) found.push(await of(one, index + 1))
  return found
}
