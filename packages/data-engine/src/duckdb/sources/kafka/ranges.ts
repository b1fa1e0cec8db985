import { z } from 'zod'
import type { Window } from '../../../plan.ts'

/** The offsets that a partition stores: from `low` to before `high`. */
export interface PartitionEdges {
  partition: number
  low: number
  high: number
}

/** The messages to read of a partition: from offset `from` to before `to`. */
export interface PartitionRange {
  partition: number
  from: number
  to: number
}

/** The next offset to read of each partition. */
const position = z.record(z.string().regex(/^\d+$/), z.int().nonnegative())

/** As text, for the marker of a policy. */
export function positionText(next: ReadonlyMap<number, number>): string {
  return JSON.stringify(Object.fromEntries(next))
}

/** The position in a marker's text; `undefined` if the text is not a position. */
export function readPosition(text: string): ReadonlyMap<number, number> | undefined {
  try {
    const parsed = position.safeParse(JSON.parse(text)).data
    return parsed && new Map(Object.entries(parsed).map(([partition, offset]) => [Number(partition), offset]))
  } catch {
    return undefined
  }
}

export type OffsetsWindow = Extract<Window, { kind: 'offsets' }>

/** The ranges of a window. `lost`: messages that the cluster removed before they were read. */
export interface Ranges {
  ranges: PartitionRange[]
  lost: { partition: number; from: number; to: number }[]
}

/**
 * The messages after a position. Two kinds of partitions are read from their beginning: those that the position does not name,
 * because they were added since, and those that end before it, because their topic was created again. Pure.
 */
export function rangesAfter(edges: readonly PartitionEdges[], after: ReadonlyMap<number, number>): Ranges {
  const lost: Ranges['lost'] = []
  const ranges = edges.map(({ partition, low, high }) => {
    const next = after.get(partition) ?? low
    if (next > high) return { partition, from: low, to: high }
    if (next < low) lost.push({ partition, from: next, to: low })
    return { partition, from: Math.max(next, low), to: high }
  })
  return { ranges, lost }
}

/** The newest messages, at most `max`: the same number from each partition that has enough of them. Pure. */
export function newestRanges(edges: readonly PartitionEdges[], max: number): PartitionRange[] {
  const each = Math.max(1, Math.floor(max / Math.max(1, edges.length)))
  return edges.map(({ partition, low, high }) => ({ partition, from: Math.max(low, high - each), to: high }))
}
