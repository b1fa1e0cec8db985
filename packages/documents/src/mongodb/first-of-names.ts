import type { RankedName } from '../search/candidates.ts'

/** Names with the same rank and folded text: their documents are ordered by id. */
export interface Tie {
  names: readonly string[]
  rank: RankedName['rank']
  folded: string
}

/** A batch of documents that were read by their names. `count`: the number of documents. */
export interface Reading {
  count: number
}

/**
 * Reads documents of `names`. If `whole`, reads at most `most` + 1 documents in any order, so a count above `most`
 * means that there are more. Otherwise reads the first `most` documents, ordered by id.
 */
export type ReadNames<R extends Reading> = (names: readonly string[], most: number, whole: boolean) => Promise<R>

export interface FirstOfNames<R extends Reading> {
  /** The readings together contain the first documents in the order of the ties. */
  readings: R[]
  count: number
  /** The number of ties that were read completely. */
  wholeTies: number
  /** The number of documents in those ties. */
  wholeCount: number
}

/**
 * Maximum number of names per filter. A server may compare each document that it finds with every name of the filter,
 * as SecantusDB does. So one filter with many names costs more than several round trips with few names each.
 */
const namesAtOnce = 128
const filtersAtOnce = 4
const leastAtOnce = 8

/** The names in their order, grouped by rank and folded name. */
export function tiesOf(names: readonly RankedName[]): Tie[] {
  const ties: { names: string[]; rank: Tie['rank']; folded: string }[] = []
  for (const { name, rank, folded } of names) {
    const last = ties.at(-1)
    if (last !== undefined && last.rank === rank && last.folded === folded) last.names.push(name)
    else ties.push({ names: [name], rank, folded })
  }
  return ties
}

const namesOf = (ties: readonly Tie[]): string[] => ties.flatMap(({ names }) => names)

/** Reads the first `most` documents of ties that have more than `most`. */
async function readPart<R extends Reading>(ties: readonly Tie[], most: number, read: ReadNames<R>): Promise<R[]> {
  if (most === 0) return []
  if (ties.length <= 1) return [await read(namesOf(ties), most, false)]
  const half = Math.ceil(ties.length / 2)
  const first = await read(namesOf(ties.slice(0, half)), most, true)
  if (first.count > most) return readPart(ties.slice(0, half), most, read)
  return [first, ...(await readPart(ties.slice(half), most - first.count, read))]
}

/**
 * The next slices of ties, to be read concurrently. They have about as many ties as are needed for `left` documents,
 * according to the average so far.
 */
function nextSlices(ties: readonly Tie[], at: number, seen: number, left: number): (readonly Tie[])[] {
  const fitting = at === 0 ? 1 : Math.ceil((left * at) / Math.max(seen, 1))
  const wanted = Math.min(at === 0 ? 1 : Math.max(fitting, leastAtOnce), namesAtOnce * filtersAtOnce)
  const some = ties.slice(at, at + wanted)
  return Array.from({ length: Math.ceil(some.length / namesAtOnce) }, (_, slice) =>
    some.slice(slice * namesAtOnce, (slice + 1) * namesAtOnce),
  )
}

/**
 * Reads the first `most` documents in the order of the ties. It reads few other documents, even if many share a name: a
 * slice with more documents than are still needed is halved and read again, and a single tie is read in the order of
 * ids.
 */
export async function readFirst<R extends Reading>(
  ties: readonly Tie[],
  most: number,
  read: ReadNames<R>,
): Promise<FirstOfNames<R>> {
  const readings: R[] = []
  let wholeTies = 0
  let count = 0
  while (wholeTies < ties.length && count < most) {
    const slices = nextSlices(ties, wholeTies, count, most - count)
    const left = most - count
    const found = await Promise.all(
      slices.map(async (slice) => ({ slice, own: await read(namesOf(slice), left, true) })),
    )
    for (const { slice, own } of found) {
      if (own.count > most - count) {
        const rest = await readPart(slice, most - count, read)
        return { readings: [...readings, ...rest], count: most, wholeTies, wholeCount: count }
      }
      readings.push(own)
      count += own.count
      wholeTies += slice.length
    }
  }
  return { readings, count, wholeTies, wholeCount: count }
}
