import type { Readable } from 'node:stream'
import type { AnswerOf, BodyOf, Operation, ParamsOf, Permission, QueryOf, ServiceName } from '@assay/contracts'
import type { Listing } from './listing.ts'

/**
 * The caller. It comes from the signed token that the gateway creates for the key pair, never from the request itself.
 */
export interface Identity {
  tenant: string
  /** The user behind the key. */
  user: string
  accessKey: string
  permissions: ReadonlySet<Permission>
}

/** One request, parsed by the operation's schemas. */
export interface Call<O extends Operation> {
  params: ParamsOf<O>
  query: QueryOf<O>
  body: BodyOf<O>
  identity: Identity
  requestId: string
  /** `console` if the request has the header `x-assay-client: console`. */
  client: 'api' | 'console'
  /**
   * States that the caller has recently written or seen (`tag-12@3`), by the service that owns them. The answer must
   * include them.
   */
  seen: ReadonlyMap<ServiceName, readonly string[]>
  /** Positions of the caller's recent writes, from earlier answers. The audit uses them. */
  written?: ReadonlyMap<ServiceName, readonly string[]>
  /** Only for operations with pages. */
  listing?: Listing | undefined
  /** The header Last-Event-ID of a caller who resumes a stream. */
  lastEventId?: string | undefined
  /** Aborts when the caller disconnects. */
  signal: AbortSignal
  /**
   * Reports in the answer that a field was ignored. Throws `invalid` if the caller prefers strict handling. Absent for
   * calls that do not come over HTTP.
   */
  ignore?(path: string, why: string): void
  /** Aborts when the process stops; waiting calls then answer immediately. */
  stopping?: AbortSignal
}

/**
 * The answer of a handler. `body` is checked by its type and by tests, not at run time. `text` is JSON text, which is
 * sent unchanged. `states`: shown states that other services copy (`tag-12@3`); the server adds those that the request
 * wrote, and sets `written`, the log positions of published writes.
 */
export interface Answer<O extends Operation> {
  body?: AnswerOf<O>
  text?: string
  /** Server-sent events: a stream of text. */
  events?: Readable
  file?: { name: string; contentType: string; sizeBytes: number; stream: Readable }
  states?: readonly string[] | undefined
  written?: readonly string[]
}

export type Handler<O extends Operation> = (call: Call<O>) => Promise<Answer<O>>

/**
 * A handler bound to its operation. `handle` is a method, so that handlers of all operations fit the type. Callers must
 * parse the call with the schemas of the operation.
 */
export interface Route {
  operation: Operation
  handle(call: Call<Operation>): Promise<Answer<Operation>>
}

/** Binds a handler to an operation of the table. The compiler checks that their types match. */
export function route<O extends Operation>(operation: O, handle: Handler<O>): Route {
  return { operation, handle }
}

/** A service that the composition root starts and stops. */
export interface Service {
  name: ServiceName
  routes: readonly Route[]
  /** Resolves when the service is ready. */
  start(): Promise<void>
  /** Accepts no more work. Finishes or releases its current work. */
  stop(): Promise<void>
  /** A sentence for each reason why the service is not ready; empty when ready. */
  problems(): Promise<string[]>
}
