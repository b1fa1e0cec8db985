import { type AnswerOf, type Operation, type Permission, permissions, type ServiceName } from '@assay/contracts'
import type { Answer, Listing, Service } from '@assay/service-kit'

export interface RouteRequest {
  params?: object
  query?: object
  body?: unknown
  /** Default `default`. */
  tenant?: string
  /** Default `ann`. */
  user?: string
  /** Default: all permissions. */
  permissions?: readonly Permission[]
  client?: 'api' | 'console'
  /** Positions that the caller has seen, by service. */
  seen?: ReadonlyMap<ServiceName, readonly string[]>
  stopping?: AbortSignal
  /** For requests of a page: the size limit of a page then applies. */
  listing?: Listing
}

/** The answer of a handler, with its body parsed by the operation's schema. */
export interface RouteAnswer<O extends Operation> extends Omit<Answer<Operation>, 'body'> {
  body: AnswerOf<O>
}

/**
 * Calls a service without HTTP. The operation's schemas parse the request and check the answer. Rejects with the
 * handler's error, and if a schema does not match.
 */
export async function callRoute<O extends Operation>(
  service: Pick<Service, 'routes'>,
  operation: O,
  request: RouteRequest = {},
): Promise<RouteAnswer<O>> {
  const route = service.routes.find((each) => each.operation === operation)
  if (route === undefined) throw new Error(`There is no route for ${operation.id}.`)
  const { tenant = 'default', user = 'ann', client = 'api' } = request
  const answer = await route.handle({
    params: operation.params.parse(stringified(request.params)),
    query: operation.query.parse(stringified(request.query)),
    body: operation.body?.parse(request.body),
    identity: { tenant, user, accessKey: 'key', permissions: new Set(request.permissions ?? permissions) },
    requestId: 'request',
    client,
    seen: request.seen ?? new Map(),
    signal: new AbortController().signal,
    ...(request.listing === undefined ? {} : { listing: request.listing }),
    ...(request.stopping === undefined ? {} : { stopping: request.stopping }),
  })
  const isStream = answer.file !== undefined || answer.events !== undefined
  const parsed = answer.text === undefined ? answer.body : JSON.parse(answer.text)
  // An operation without an answer schema sends nothing.
  const isEmpty = isStream || operation.answer === undefined
  return { ...answer, body: isEmpty ? (undefined as AnswerOf<O>) : answerOf(operation, parsed) }
}

/** A body parsed by the operation's schema; throws if it does not match. */
export function answerOf<O extends Operation>(operation: O, body: unknown): AnswerOf<O> {
  if (operation.answer === undefined) throw new Error(`${operation.id} has no answer.`)
  // The schema is this operation's own.
  return operation.answer.parse(body) as AnswerOf<O>
}

/** Values as text, as in paths and queries. */
function stringified(values: object = {}): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  )
}
