import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Operation, ServiceName } from '@assay/contracts'
import { AssayError } from '../errors.ts'
import { requestIdOf } from './errors.ts'
import type { Call } from './handler.ts'
import { type Listing, listingOf } from './listing.ts'
import type { PageMarks } from './page-marks.ts'
import { parsePositions, writtenHeader } from './positions.ts'

/** Aborts when the caller leaves before the answer is whole. */
function leaving(response: ServerResponse): AbortSignal {
  const left = new AbortController()
  const leave = () => {
    if (!response.writableFinished) left.abort(new AssayError('timeout', 'The caller left.'))
  }
  if (response.closed) leave()
  else response.once('close', leave)
  return left.signal
}

/** One value of a header that is to be given once. */
function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name]
  return typeof value === 'string' ? value : undefined
}

/** What was asked, parsed by the schemas of the operation. */
export type Parsed = Pick<Call<Operation>, 'params' | 'query' | 'body' | 'identity' | 'seen'>

/**
 * The call that a request is. What most handlers never ask for is made when it is asked for. A class, because accessors
 * of an object literal are new to the engine for each object: with them, each request stayed in memory until the next
 * full collection.
 */
export class ServedCall implements Call<Operation> {
  readonly params: Call<Operation>['params']
  readonly query: Call<Operation>['query']
  readonly body: Call<Operation>['body']
  readonly identity: Call<Operation>['identity']
  readonly seen: Call<Operation>['seen']
  /** Once it was asked for. */
  askedListing: Listing | undefined
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  readonly #of: { operation: Operation; marks: PageMarks | undefined }
  #signal: AbortSignal | undefined

  constructor(
    parsed: Parsed,
    of: { operation: Operation; marks: PageMarks | undefined },
    request: IncomingMessage,
    response: ServerResponse,
  ) {
    this.params = parsed.params
    this.query = parsed.query
    this.body = parsed.body
    this.identity = parsed.identity
    this.seen = parsed.seen
    this.#of = of
    this.#request = request
    this.#response = response
  }

  get requestId(): string {
    return requestIdOf(this.#response)
  }

  get client(): 'api' | 'console' {
    return this.#request.headers['x-assay-client'] === 'console' ? 'console' : 'api'
  }

  get traceparent(): string | undefined {
    return header(this.#request, 'traceparent')
  }

  get written(): ReadonlyMap<ServiceName, readonly string[]> {
    return parsePositions(this.#request.headers[writtenHeader])
  }

  get lastEventId(): string | undefined {
    return header(this.#request, 'last-event-id')
  }

  get listing(): Listing | undefined {
    const { operation, marks } = this.#of
    const { identity, params, query } = this
    this.askedListing ??= listingOf({ operation, identity, params, query }, marks)
    return this.askedListing
  }

  get signal(): AbortSignal {
    this.#signal ??= leaving(this.#response)
    return this.#signal
  }
}
