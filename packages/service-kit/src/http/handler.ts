import type { Readable } from 'node:stream'
import type { AnswerOf, BodyOf, Operation, ParamsOf, Permission, QueryOf, ServiceName } from '@assay/contracts'
import type { Listing } from './listing.ts'

/** Who calls: taken from the signed token that the gateway made of the key pair, never from the request itself. */
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
  /** `console` when the request carries `x-assay-client: console`. */
  client: 'api' | 'console'
  /** Positions that the caller has written or seen lately, by the service that owns them: what stands there must be seen. */
  seen: ReadonlyMap<ServiceName, readonly string[]>
  /** Positions of what the caller has written lately, as the answers told it: for the audit. */
  written?: ReadonlyMap<ServiceName, readonly string[]>
  /** Of operations with pages. */
  listing?: Listing | undefined
  /** The header Last-Event-ID, of a caller who reads events again. */
  lastEventId?: string | undefined
  /** Aborts when the caller leaves. */
  signal: AbortSignal
  /** Says in the answer that a field was not read; throws `invalid` for a caller who prefers strict handling. Of calls by HTTP. */
  ignore?(path: string, why: string): void
  /** Aborts when the process stops: what waits answers at once. */
  stopping?: AbortSignal
}

/**
 * What a handler answers. `body` is checked by nobody at run time (tests do): its type is the contract.
 * `text` is JSON text that is sent as it is. `position`: how far this service's log stood for what was written or shown.
 * `written`: where it has what the request wrote and the public is told of; who serves the route fills it in.
 */
export interface Answer<O extends Operation> {
  body?: AnswerOf<O>
  text?: string
  /** Server-sent events: text that goes on. */
  events?: Readable
  file?: { name: string; contentType: string; sizeBytes: number; stream: Readable }
  position?: string | undefined
  written?: readonly string[]
}

export type Handler<O extends Operation> = (call: Call<O>) => Promise<Answer<O>>

/**
 * A handler bound to its operation. `handle` is a method, so that a handler of any one operation fits: whoever calls it
 * has parsed the call with the schemas of this very operation.
 */
export interface Route {
  operation: Operation
  handle(call: Call<Operation>): Promise<Answer<Operation>>
}

/** Binds a handler to an operation of the table; the types of both are checked against each other. */
export function route<O extends Operation>(operation: O, handle: Handler<O>): Route {
  return { operation, handle }
}

/** What the composition root starts and stops. */
export interface Service {
  name: ServiceName
  routes: readonly Route[]
  /** Resolves when the service can do its work. */
  start(): Promise<void>
  /** Takes no more work, ends or hands back what it holds. */
  stop(): Promise<void>
  /** A sentence for each thing that keeps the service from its work; empty when ready. */
  problems(): Promise<string[]>
}
