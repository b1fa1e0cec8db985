import type { IncomingMessage, ServerResponse } from 'node:http'
import { asOfText, type Operation, type ServiceName } from '@assay/contracts'
import { AssayError } from '../errors.ts'
import { requestIdOf } from './errors.ts'
import type { Call } from './handler.ts'
import { asOfHeader, type Listing, listingOf } from './listing.ts'
import { parsePositions, writtenHeader } from './positions.ts'
import type { IgnoredFields } from './unknown-fields.ts'

/** Aborts when the caller disconnects before the answer is complete. */
function disconnecting(response: ServerResponse): AbortSignal {
  const left = new AbortController()
  const leave = () => {
    if (!response.writableFinished) left.abort(new AssayError('timeout', 'The caller disconnected.'))
  }
  if (response.closed) leave()
  else response.once('close', leave)
  return left.signal
}

/** Emitted on answers in progress when the server closes. */
export const stoppingEvent = 'assay-stopping'

function stoppingOf(response: ServerResponse): AbortSignal {
  const stopping = new AbortController()
  response.once(stoppingEvent, () => stopping.abort())
  return stopping.signal
}

/** A header that may occur only once. */
function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name]
  return typeof value === 'string' ? value : undefined
}

/** The request, parsed by the schemas of the operation. */
export type Parsed = Pick<Call<Operation>, 'params' | 'query' | 'body' | 'identity' | 'seen'> & {
  ignored: IgnoredFields
}

/**
 * The call of a request. Rarely used parts are created on demand. This is a class: accessors in an object literal would
 * create a new hidden class for each object, which keeps each request in memory until the next full garbage collection.
 */
export class ServedCall implements Call<Operation> {
  readonly params: Call<Operation>['params']
  readonly query: Call<Operation>['query']
  readonly body: Call<Operation>['body']
  readonly identity: Call<Operation>['identity']
  readonly seen: Call<Operation>['seen']
  /** Set on first use. */
  askedListing: Listing | undefined
  readonly #ignored: IgnoredFields
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  #signal: AbortSignal | undefined
  #stopping: AbortSignal | undefined

  constructor(parsed: Parsed, request: IncomingMessage, response: ServerResponse) {
    this.params = parsed.params
    this.query = parsed.query
    this.body = parsed.body
    this.identity = parsed.identity
    this.seen = parsed.seen
    this.#ignored = parsed.ignored
    this.#request = request
    this.#response = response
  }

  get requestId(): string {
    return requestIdOf(this.#response)
  }

  get client(): 'api' | 'console' {
    return this.#request.headers['x-assay-client'] === 'console' ? 'console' : 'api'
  }

  get written(): ReadonlyMap<ServiceName, readonly string[]> {
    return parsePositions(this.#request.headers[writtenHeader])
  }

  get lastEventId(): string | undefined {
    return header(this.#request, 'last-event-id')
  }

  get listing(): Listing | undefined {
    this.askedListing ??= listingOf(this.query, this.#asOf())
    return this.askedListing
  }

  /** Checked like the query parameter of the same name. */
  #asOf(): string | undefined {
    const given = header(this.#request, asOfHeader)
    if (given === undefined) return undefined
    const parsed = asOfText.safeParse(given)
    if (!parsed.success)
      throw new AssayError('invalid', `${asOfHeader}: must be the value of the same header of an earlier answer`)
    return parsed.data
  }

  ignore(path: string, why: string): void {
    this.#ignored.ignore(path, why)
  }

  get stopping(): AbortSignal {
    this.#stopping ??= stoppingOf(this.#response)
    return this.#stopping
  }

  get signal(): AbortSignal {
    this.#signal ??= disconnecting(this.#response)
    return this.#signal
  }
}
