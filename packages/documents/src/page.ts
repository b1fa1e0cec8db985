import { maxPageBytes } from './page-bytes.ts'
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
  /** The documents are processed further and not sent, so the size limit of a page does not apply. */
  isPart?: boolean
}

async function bounded<Asked extends Query, Answer extends { snapshotToken?: string; count: number }>(
  { listing, signal, isPart = false }: Asking,
  withoutSignal: Asked,
  ask: (query: Asked) => Promise<Answer>,
): Promise<Answer> {
  const query = signal === undefined ? withoutSignal : { ...withoutSignal, signal }
  if (listing === undefined) return ask(query)
  // A query for the count only starts no listing, so it needs no token.
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

/** `findPage` of a search. */
export function searchPage<T>(
  documents: Pick<Documents, 'search'>,
  asking: Asking,
  collection: Collection<T>,
  { tenant, ...query }: SearchQuery & { tenant: string },
): Promise<SearchFound<T>> {
  return bounded(asking, query, (asked: SearchQuery) => documents.search(collection, tenant, asked))
}
