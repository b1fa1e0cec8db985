import type { Operation } from '@assay/contracts'
import type { Identity } from './handler.ts'
import type { PageMarks } from './page-marks.ts'

/** Of the answer to a listing: the mark that its rows are of, to be sent as the query parameter `asOf`. */
export const asOfHeader = 'x-assay-as-of'

/** Of the answer of a service to a first page behind which there are more: for the gateway, which keeps its mark. */
export const morePagesHeader = 'x-assay-more-pages'

/** What a request asks of a listing besides its filters. */
export interface Listing {
  /** Only what was there at this mark is to be shown; absent: what is there now. */
  readonly asOf: string | undefined
  /** Whether the first page was read here and is not the only one. */
  readonly hasMore: boolean
  /** A mark of what is there now, once it was read: this and what else this request reads is of it. */
  remember(mark: string, hasMore?: boolean): void
}

/** Where the page begins, and everything else that is asked. `first` is what older operations call their place. */
function placeIn(query: unknown): { place: number; asOf: string | undefined; rest: object } | undefined {
  if (typeof query !== 'object' || query === null) return undefined
  const { page, first, asOf, ...rest }: { page?: unknown; first?: unknown; asOf?: unknown } = query
  const place = page ?? first
  if (typeof place !== 'number') return undefined
  return { place, asOf: typeof asOf === 'string' ? asOf : undefined, rest }
}

/** A class, because accessors of an object literal are new to the engine for each object. */
class MarkedListing implements Listing {
  #asOf: string | undefined
  #hasMore = false
  readonly #made: (mark: string) => void

  constructor(asOf: string | undefined, made: (mark: string) => void) {
    this.#asOf = asOf
    this.#made = made
  }

  get asOf(): string | undefined {
    return this.#asOf
  }

  get hasMore(): boolean {
    return this.#hasMore
  }

  remember(mark: string, hasMore = false): void {
    if (this.#asOf !== undefined) return
    this.#asOf = mark
    this.#hasMore = hasMore
    this.#made(mark)
  }
}

/**
 * The listing of a request; `undefined` where its operation has no pages. A later page is of the mark that the same
 * caller's first page of the same listing was of: the same operation, path parameters and query but for the page.
 */
export function listingOf(
  request: { operation: Operation; identity: Identity; params: unknown; query: unknown },
  marks: PageMarks | undefined,
): Listing | undefined {
  const asked = placeIn(request.query)
  if (asked === undefined) return undefined
  const { tenant, accessKey } = request.identity
  const name = JSON.stringify([tenant, accessKey, request.operation.id, request.params, asked.rest])
  const bound = asked.asOf ?? (asked.place > 0 ? marks?.of(name) : undefined)
  return new MarkedListing(bound, (mark) => {
    if (asked.place === 0) marks?.remember(name, mark)
  })
}
