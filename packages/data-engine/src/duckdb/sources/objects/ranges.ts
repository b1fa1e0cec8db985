import type { ByteRange } from './store.ts'

/** A part of a Parquet file, as its footer describes it, in bytes. Null: unknown or absent. */
export interface ColumnChunk {
  dataPage: number
  dictionaryPage: number | null
  indexPage: number | null
  compressed: number
  bloomFilter: number | null
  bloomFilterLength: number | null
}

/** Some writers do not count the header of the dictionary page. */
const uncountedHeader = 128
/** If the footer does not give the length of a Bloom filter, the readers read this many bytes of it. */
const longestBloomFilter = 1 << 20
/** Length of the magic bytes at the beginning. No page begins before their end. */
const firstPage = 4

/** The bytes of a column chunk in a file of `size` bytes. Pure. */
export function rangesOf(chunk: ColumnChunk, size: number): ByteRange[] {
  const starts = [chunk.dataPage, chunk.dictionaryPage, chunk.indexPage].flatMap((at) =>
    at !== null && at >= firstPage ? [at] : [],
  )
  const from = Math.min(...starts, size)
  const within = (range: ByteRange) => ({ from: Math.min(range.from, size), to: Math.min(range.to, size) })
  const pages = within({ from, to: from + chunk.compressed + uncountedHeader })
  const { bloomFilter: bloom, bloomFilterLength: length } = chunk
  return bloom === null ? [pages] : [pages, within({ from: bloom, to: bloom + (length ?? longestBloomFilter) })]
}

/** Gaps up to this length are fetched, because a further request would cost more. */
const smallGap = 16 << 10

/** Joins ranges that have small gaps between them, removes those that are `present`, and splits long ones. Pure. */
export function requestsFor(wanted: readonly ByteRange[], present: readonly ByteRange[], longest: number): ByteRange[] {
  const joined: ByteRange[] = []
  for (const range of [...wanted.flatMap((one) => without(one, present))].sort((a, b) => a.from - b.from)) {
    const last = joined.at(-1)
    if (last !== undefined && range.from - last.to <= smallGap) last.to = Math.max(last.to, range.to)
    else joined.push({ ...range })
  }
  return joined.flatMap(({ from, to }) =>
    Array.from({ length: Math.ceil((to - from) / longest) }, (_, index) => ({
      from: from + index * longest,
      to: Math.min(to, from + (index + 1) * longest),
    })),
  )
}

function without(range: ByteRange, present: readonly ByteRange[]): ByteRange[] {
  let left = range.to > range.from ? [range] : []
  for (const { from, to } of present)
    left = left.flatMap((one) =>
      [
        { from: one.from, to: Math.min(one.to, from) },
        { from: Math.max(one.from, to), to: one.to },
      ].filter((part) => part.to > part.from),
    )
  return left
}

/** Adds a range to sorted ranges that do not overlap. Pure. */
export function withRange(present: readonly ByteRange[], added: ByteRange): ByteRange[] {
  const joined: ByteRange[] = []
  for (const range of [...present, added].sort((a, b) => a.from - b.from)) {
    const last = joined.at(-1)
    if (last !== undefined && range.from <= last.to) last.to = Math.max(last.to, range.to)
    else joined.push({ ...range })
  }
  return joined
}
