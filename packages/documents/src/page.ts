import { setImmediate } from 'node:timers/promises'
import { maxPageBytes, PageTooLarge } from './page-bytes.ts'
import type { Collection, Documents, Found, Query, SearchFound, SearchQuery } from './port.ts'

/** The snapshot of a listing, as requested. */
export interface Bounds {
  readonly asOf: string | undefined
  bind(snapshotToken: string): void
}

/** A request for a page. Without `listing`, it reads the current documents. */
export interface Asking {
  listing?: Bounds | undefined
  /** Aborts when the caller disconnects. */
  signal?: AbortSignal | undefined
  /** The documents are processed further instead of being sent, so the size limit of a page does not apply. */
  isPart?: boolean
}

async function bounded<Asked extends Query, Answer extends { snapshotToken?: string; count: number }>(
  { listing, signal, isPart = false }: Asking,
  withoutSignal: Asked,
  ask: (query: Asked) => Promise<Answer>,
): Promise<Answer> {
  const query = signal === undefined ? withoutSignal : { ...withoutSignal, signal }
  if (listing === undefined) return ask(query)
  // A query that only counts starts no listing, so it needs no token.
  const limited = isPart ? query : { ...query, maxBytes: maxPageBytes }
  const isFirst = listing.asOf === undefined && query.size > 0
  const found = await ask(isFirst ? { ...limited, withSnapshotToken: true } : { ...limited, asOf: listing.asOf })
  if (found.snapshotToken !== undefined) listing.bind(found.snapshotToken)
  return found
}

/** A page of a listing, in the requested snapshot or the current state; at most 4 MiB, except with `isPart`. */
export function findPage<T>(
  documents: Pick<Documents, 'find'>,
  asking: Asking,
  collection: Collection<T>,
  { tenant, ...query }: Query & { tenant: string },
): Promise<Found<T>> {
  return bounded(asking, query, (asked: Query) => documents.find(collection, tenant, asked))
}

/** The largest power of two that is at most `most` and divides `offset`, so that a page of this size begins there. */
export function alignedSize(offset: number, most: number): number {
  let size = 1
  while (size * 2 <= most && offset % (size * 2) === 0) size *= 2
  return size
}

/**
 * Like `findPage`, for rows that are smaller than their documents. A page of more than 4 MiB is read in parts of about
 * 1 MiB, so that other work can run in between.
 */
export async function* findPageInParts<T>(
  documents: Pick<Documents, 'find'>,
  asking: Asking,
  collection: Collection<T>,
  query: Query & { tenant: string },
): AsyncGenerator<Found<T>> {
  const whole = await findPage(documents, asking, collection, query).catch((error: unknown) => {
    if (error instanceof PageTooLarge) return error
    throw error
  })
  if (!(whole instanceof PageTooLarge)) {
    yield whole
    return
  }
  const { page = 0, size } = query
  const most = Math.max(1, Math.floor(whole.fits / 4))
  const end = (page + 1) * size
  for (let offset = page * size; offset < end; ) {
    const part = alignedSize(offset, Math.min(most, end - offset))
    const paging = { page: offset / part, size: part }
    const found = await findPage(documents, { ...asking, isPart: true }, collection, { ...query, ...paging })
    yield found
    if (found.documents.length < part) return
    offset += part
    await setImmediate()
  }
}

/** `findPage` of a search. */
export function searchPage<T>(
  documents: Pick<Documents, 'search'>,
  asking: Asking,
  collection: Collection<T>,
  { tenant, ...query }: SearchQuery & { tenant: string },
): Promise<SearchFound<T>> {
  return bounded(asking, query, (asked: SearchQuery) => documents.search(collection, tenant, asked))
}
