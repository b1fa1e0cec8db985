/**
 * The snapshot token in the answer to a listing. A client sends it, in this header or as the query parameter `asOf`, to
 * get other pages of the same snapshot.
 */
export const asOfHeader = 'x-assay-as-of'

/** The parameters of a listing other than its filters. */
export interface Listing {
  /** The snapshot to show. Default: the current state. */
  readonly asOf: string | undefined
  /** Sets the snapshot once the current state was read, so that later reads of this request use the same snapshot. */
  bind(snapshotToken: string): void
}

/** This is a class, because accessors in an object literal create a new hidden class for each object. */
class BoundListing implements Listing {
  #asOf: string | undefined

  constructor(asOf: string | undefined) {
    this.#asOf = asOf
  }

  get asOf(): string | undefined {
    return this.#asOf
  }

  bind(snapshotToken: string): void {
    this.#asOf ??= snapshotToken
  }
}

/**
 * The listing of a request, with the snapshot of its query or header; `undefined` if its operation has no pages.
 * The server stores no snapshots.
 */
export function listingOf(query: unknown, header: string | undefined): Listing | undefined {
  if (typeof query !== 'object' || query === null) return undefined
  const { page, first, asOf }: { page?: unknown; first?: unknown; asOf?: unknown } = query
  // Older operations call their page `first`.
  if (typeof (page ?? first) !== 'number') return undefined
  return new BoundListing(typeof asOf === 'string' ? asOf : header)
}
