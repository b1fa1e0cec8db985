import { z } from 'zod'
import type { Window } from '../../../plan.ts'

/** The offsets that a partition stores: from `low` up to but not including `high`. */
export interface PartitionEdges {
  partition: number
  low: number
  high: number
}

/** The messages to read from a partition: from offset `from` up to but not including `to`. */
export interface PartitionRange {
  partition: number
  from: number
  to: number
}

/** The next offset to read, for each partition. */
const position = z.record(z.string().regex(/^\d+$/), z.int().nonnegative())

/** The position as text, for the marker of a policy. */
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

/** The ranges of a window. `lost`: the number of messages that the cluster removed before they were read. */
export interface Ranges {
  ranges: PartitionRange[]
  lost: { partition: number; from: number; to: number }[]
}

/**
 * The messages after a position. Two kinds of partitions are read from their beginning: partitions that the position
 * does not contain, because they were added since, and partitions that end before the position, because their topic was
 * created again. Pure.
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

/**
 * The newest messages, at most `max`. Each partition contributes the same number, unless it has fewer messages. Pure.
 */
export function newestRanges(edges: readonly PartitionEdges[], max: number): PartitionRange[] {
  const each = Math.max(1, Math.floor(max / Math.max(1, edges.length)))
  return edges.map(({ partition, low, high }) => ({ partition, from: Math.max(low, high - each), to: high }))
}
