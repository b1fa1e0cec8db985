/** Offsets from `start` up to but not including `end`. */
export interface Range {
  start: number
  end: number
}

/**
 * The handled messages of a group in one partition: all offsets before `offset`, and the ranges in `beyond` (ascending
 * and disjoint).
 */
export interface Handled {
  offset: number
  beyond: readonly Range[]
}

/** Kafka refuses commits whose metadata is longer than 4096 bytes. */
const maxMetadata = 4000
const version = '1:'

/**
 * Encodes `beyond` as the metadata of a commit: alternating counts of unhandled and handled messages after `offset`, in
 * base 36. Ranges that do not fit are dropped, so their messages would be handled again after a crash.
 */
export function encodedBeyond({ offset, beyond }: Handled): string {
  let text = ''
  let at = offset
  for (const { start, end } of beyond) {
    const pair = `${text === '' ? version : ','}${(start - at).toString(36)},${(end - start).toString(36)}`
    if (text.length + pair.length > maxMetadata) break
    text += pair
    at = end
  }
  return text
}

/**
 * The inverse of `encodedBeyond`. If the metadata has another format, no message after the offset counts as handled.
 */
export function decodedBeyond(offset: number, metadata: string | null): Handled {
  if (!metadata?.startsWith(version)) return { offset, beyond: [] }
  const counts = metadata
    .slice(version.length)
    .split(',')
    .map((count) => Number.parseInt(count, 36))
  if (counts.length % 2 !== 0 || counts.some((count) => !(count > 0))) return { offset, beyond: [] }
  const beyond: Range[] = []
  let at = offset
  counts.forEach((count, index) => {
    if (index % 2 === 1) beyond.push({ start: at, end: at + count })
    at += count
  })
  return { offset, beyond }
}

/** The union of the offsets handled in `a` and `b`. */
export function unionHandled(a: Handled, b: Handled): Handled {
  let offset = Math.max(a.offset, b.offset)
  const beyond: Range[] = []
  for (const { start, end } of [...a.beyond, ...b.beyond].toSorted((x, y) => x.start - y.start)) {
    const last = beyond.at(-1)
    if (end <= offset) continue
    if (start <= offset) offset = end
    else if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end)
    else beyond.push({ start, end })
  }
  return { offset, beyond: beyond.filter((range) => range.end > offset) }
}

/** The number of offsets in `beyond`. */
export function countBeyond({ beyond }: Handled): number {
  return beyond.reduce((sum, { start, end }) => sum + end - start, 0)
}
