import type { Collection, Documents, Found, Query, SearchFound, SearchQuery } from './port.ts'

/** Of which moment the pages of a listing are; what a request of one brings along. */
export interface Bounds {
  readonly asOf: string | undefined
  /** `hasMore`: there are pages behind the first one. */
  remember(mark: string, hasMore: boolean): void
}

/** The request that asks; without a listing its pages show the documents of now. */
export interface Asking {
  listing?: Bounds | undefined
  /** Aborts when the caller leaves. */
  signal?: AbortSignal | undefined
}

async function bounded<Asked extends Query, Answer extends { mark?: string; count: number }>(
  { listing, signal }: Asking,
  unsignalled: Asked,
  ask: (query: Asked) => Promise<Answer>,
): Promise<Answer> {
  const query = signal === undefined ? unsignalled : { ...unsignalled, signal }
  if (listing === undefined) return ask(query)
  // A count alone has no later pages.
  const isFirst = listing.asOf === undefined && query.size > 0
  const found = await ask(isFirst ? { ...query, marked: true } : { ...query, asOf: listing.asOf })
  if (found.mark !== undefined) listing.remember(found.mark, found.count > query.size)
  return found
}

/**
 * A page of a listing, by which all of them go: rows that are added while a caller reads page after page neither move
 * others from one page to the next nor come into the count. The first one read without a mark tells what the later are of.
 */
export function findPage<T>(
  documents: Pick<Documents, 'find'>,
  asking: Asking,
  collection: Collection<T>,
  { tenant, ...query }: Query & { tenant: string },
): Promise<Found<T>> {
  return bounded(asking, query, (asked: Query) => documents.find(collection, tenant, asked))
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
