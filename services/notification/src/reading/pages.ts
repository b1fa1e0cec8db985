import type { Found } from '@assay/documents'

/** Reads a page of one part of a list. */
export type Part<T> = (paging: { page: number; size: number }) => Promise<Found<T>>

async function slice<T>(part: Part<T>, from: number, size: number, first: Found<T>, pageSize: number): Promise<T[]> {
  const page = Math.floor(from / pageSize)
  const asked = page === 0 ? first : await part({ page, size: pageSize })
  const next = asked.documents.length < pageSize ? [] : (await part({ page: page + 1, size: pageSize })).documents
  const begin = from - page * pageSize
  return [...asked.documents, ...next].slice(begin, begin + size)
}

/** A page of the concatenation of the parts, with the count of all. */
export async function pageOf<T>(
  parts: readonly Part<T>[],
  { page, size }: { page: number; size: number },
): Promise<Found<T>> {
  const documents: T[] = []
  let count = 0
  let skip = page * size
  for (const part of parts) {
    const first = await part({ page: 0, size })
    count += first.count
    if (size > documents.length && skip < first.count)
      documents.push(...(await slice(part, skip, size - documents.length, first, size)))
    skip = Math.max(0, skip - first.count)
  }
  return { documents, count }
}
