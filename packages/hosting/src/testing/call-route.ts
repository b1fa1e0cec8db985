import { type AnswerOf, type Operation, type Permission, permissions, type ServiceName } from '@assay/contracts'
import type { Answer, Service } from '@assay/service-kit'

export interface RouteRequest {
  params?: object
  query?: object
  body?: unknown
  /** Default `default`. */
  tenant?: string
  /** Default `ann`. */
  user?: string
  /** Default: all. */
  permissions?: readonly Permission[]
  client?: 'api' | 'console'
  /** Positions that the caller has seen, by service. */
  seen?: ReadonlyMap<ServiceName, readonly string[]>
  stopping?: AbortSignal
}

/** What a handler answered, with its body as the operation's schema reads it. */
export interface RouteAnswer<O extends Operation> extends Omit<Answer<Operation>, 'body'> {
  body: AnswerOf<O>
}

/**
 * Asks a service without HTTP. The request is parsed and the answer checked by the schemas of the operation: a wrong shape
 * is a broken promise to clients. Rejects with what the handler throws, and where a schema does not fit.
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
    ...(request.stopping === undefined ? {} : { stopping: request.stopping }),
  })
  const isStream = answer.file !== undefined || answer.events !== undefined
  const told = answer.text === undefined ? answer.body : JSON.parse(answer.text)
  // Where an operation has no schema of an answer, nothing is sent.
  const isEmpty = isStream || operation.answer === undefined
  return { ...answer, body: isEmpty ? (undefined as AnswerOf<O>) : answerOf(operation, told) }
}

/** A body as the operation's schema reads it; throws where that does not fit. */
export function answerOf<O extends Operation>(operation: O, body: unknown): AnswerOf<O> {
  if (operation.answer === undefined) throw new Error(`${operation.id} has no answer.`)
  // The schema is this operation's own.
  return operation.answer.parse(body) as AnswerOf<O>
}

/** As paths and queries carry them. */
function stringified(values: object = {}): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  )
}
