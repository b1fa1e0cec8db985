import { operations as allOperations, type Operation, type ServiceName } from '@assay/contracts'
import express, { type NextFunction, type Request, type Response, Router } from 'express'
import type { z } from 'zod'
import { AssayError } from '../errors.ts'
import { answer } from './answer.ts'
import { assertShallow } from './depth.ts'
import type { Identity, Route } from './handler.ts'
import { identityHeader } from './identity.ts'
import { expressPath, inMatchingOrder } from './paths.ts'
import { parsePositions, positionHeader } from './positions.ts'

/** Parses, or throws `invalid` naming the part and the field: `body.items[0].columnName: must not be empty`. */
function parse<T extends z.ZodType>(schema: T, value: unknown, part: string): z.output<T> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const messages = parsed.error.issues.slice(0, 10).map((issue) => {
    const path = issue.path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join('')
    return `${part === 'body' ? path.replace(/^\./, '') || 'body' : path.replace(/^\./, '')}: ${issue.message}`
  })
  throw new AssayError('invalid', messages.join('; '))
}

const readJson = express.json({
  limit: 1_048_576,
  strict: false,
  type: () => true,
  verify: (_request, _response, bytes) => assertShallow(bytes),
})

/** The body, `undefined` when it is empty. Read only for operations that have one, after the caller may do this. */
function bodyOf(request: Request, response: Response): Promise<unknown> {
  // Existing clients send a JSON content type with nothing behind it.
  if (request.headers['content-length'] === '0') return Promise.resolve(undefined)
  return new Promise((resolve, reject) => {
    readJson(request, response, (error?: unknown) => (error ? reject(error) : resolve(request.body)))
  })
}

/** Aborts when the caller leaves before the answer is whole. */
function leaving(response: Response): AbortSignal {
  const left = new AbortController()
  const leave = () => {
    if (!response.writableFinished) left.abort(new AssayError('timeout', 'The caller left.'))
  }
  if (response.closed) leave()
  else response.once('close', leave)
  return left.signal
}

async function serve(route: Route, identity: Identity, request: Request, response: Response): Promise<void> {
  const { operation } = route
  response.locals.operation = operation.id
  const missing = operation.permissions.find((permission) => !identity.permissions.has(permission))
  if (missing) {
    const code = operation.deniedStatus === 404 ? 'not-found' : 'forbidden'
    throw new AssayError(code, operation.denied ?? `This key lacks the permission ${missing}.`)
  }
  const params = parse(operation.params, request.params, 'params')
  const query = parse(operation.query, request.query, 'query')
  const body = operation.body ? parse(operation.body, await bodyOf(request, response), 'body') : undefined
  let signal: AbortSignal | undefined
  const traceparent = request.headers.traceparent
  const result = await route.handle({
    // Parsed by the schemas of this very operation, whose types the handler was written against.
    params: params as never,
    query: query as never,
    body: body as never,
    identity,
    requestId: String(response.locals.requestId),
    client: request.headers['x-assay-client'] === 'console' ? 'console' : 'api',
    traceparent: typeof traceparent === 'string' ? traceparent : undefined,
    seen: parsePositions(request.headers[positionHeader]),
    lastEventId: request.get('last-event-id'),
    // Most handlers never ask for it.
    get signal() {
      signal ??= leaving(response)
      return signal
    },
  })
  answer(operation, result, response)
}

/** Throws where routes and table do not fit each other: an operation without a route, a route without an operation, twice. */
function assertComplete(service: ServiceName, routes: readonly Route[], operations: readonly Operation[]): void {
  const wanted = new Set(
    operations.filter((operation) => operation.service === service).map((operation) => operation.id),
  )
  for (const { operation } of routes) {
    if (!wanted.delete(operation.id))
      throw new AssayError(
        'internal',
        `Route ${operation.id} of ${service} is not in the table of operations, or stands there twice.`,
      )
  }
  if (wanted.size > 0) throw new AssayError('internal', `${service} has no route for ${[...wanted].join(', ')}.`)
}

/** Answers an admitted request whose path parameters are known. Rejects before the answer began. */
export type Serve = (identity: Identity, request: Request, response: Response) => Promise<void>

/** The routes of one service by the id of their operation, for whoever has matched the path and knows the caller. */
export function createServing(deps: {
  service: ServiceName
  routes: readonly Route[]
  operations?: readonly Operation[]
}): ReadonlyMap<string, Serve> {
  assertComplete(deps.service, deps.routes, deps.operations ?? allOperations)
  return new Map(
    deps.routes.map((route) => [
      route.operation.id,
      (identity, request, response) => serve(route, identity, request, response),
    ]),
  )
}

/** The routes of one service. A request without a valid identity token is 401, whatever it asks for. */
export function createRouter(deps: {
  service: ServiceName
  routes: readonly Route[]
  verify: (token: string | undefined) => Identity | undefined
  operations?: readonly Operation[]
}): Router {
  assertComplete(deps.service, deps.routes, deps.operations ?? allOperations)
  const router = Router({ caseSensitive: true, strict: false })
  for (const route of inMatchingOrder(deps.routes, ({ operation }) => operation.path)) {
    const method = route.operation.method.toLowerCase() as 'get' | 'post' | 'put' | 'delete'
    router[method](expressPath(route.operation.path), (request: Request, response: Response, next: NextFunction) => {
      const token = request.headers[identityHeader]
      const identity = deps.verify(typeof token === 'string' ? token : undefined)
      if (!identity) {
        next(new AssayError('unauthenticated', 'The identity token is missing or not valid.'))
        return
      }
      serve(route, identity, request, response).catch(next)
    })
  }
  return router
}
