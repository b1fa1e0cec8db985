/** Of the answer to a listing: the moment that its rows are of. Sent back, here or as the query parameter `asOf`, it bounds other pages to the same. */
export const asOfHeader = 'x-assay-as-of'

/** What a request asks of a listing besides its filters. */
export interface Listing {
  /** Only what was there at this moment is shown; absent: what is there now. */
  readonly asOf: string | undefined
  /** The moment of what is there now, once it was read: this and what else this request reads is of it. */
  bind(moment: string): void
}

/** A class, because accessors of an object literal are new to the engine for each object. */
class BoundListing implements Listing {
  #asOf: string | undefined

  constructor(asOf: string | undefined) {
    this.#asOf = asOf
  }

  get asOf(): string | undefined {
    return this.#asOf
  }

  bind(moment: string): void {
    this.#asOf ??= moment
  }
}

/**
 * The listing of a request, at the moment that its query or its header names; `undefined` where its operation has no
 * pages. Nothing is remembered for callers that name none.
 */
export function listingOf(query: unknown, header: string | undefined): Listing | undefined {
  if (typeof query !== 'object' || query === null) return undefined
  const { page, first, asOf }: { page?: unknown; first?: unknown; asOf?: unknown } = query
  // `first` is what older operations call their page.
  if (typeof (page ?? first) !== 'number') return undefined
  return new BoundListing(typeof asOf === 'string' ? asOf : header)
}
