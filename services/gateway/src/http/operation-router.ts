import { operations as allOperations, type Operation, type ServiceName } from '@assay/contracts'
import {
  createServing,
  expressPath,
  type IdentitySigner,
  identityHeader,
  inMatchingOrder,
  type Route,
  type Service,
  type Timers,
} from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { type NextFunction, type Request, type Response, Router } from 'express'
import type { Forward } from '../forwarding/forward.ts'
import type { Admission } from './admission.ts'
import type { AnsweredPositions } from './answered-positions.ts'

/** How often a stream of events asks whether its key still works. Milliseconds. */
const keyCheckMs = 1_000

const methodsOf = (operation: Operation): string[] =>
  operation.method === 'GET' ? ['GET', 'HEAD'] : [operation.method]

/** The route, which also tells how far its service had come. */
function remembering(route: Route, positions: AnsweredPositions): Route {
  const { operation, handle } = route
  return {
    operation,
    async handle(call) {
      const answer = await handle(call)
      if (answer.position !== undefined) positions.remember(call.identity.accessKey, operation.service, answer.position)
      return answer
    },
  }
}

/** Whoever has a key learns what a path knows; the methods of all templates that fit are gathered on the way. */
function refuseOtherMethods(router: Router, operations: readonly Operation[], admission: Admission): void {
  const gathered = new WeakMap<Request, Set<string>>()
  for (const operation of operations) {
    router.all(expressPath(operation.path), (request, _response, next) => {
      const allowed = gathered.get(request) ?? new Set()
      for (const method of methodsOf(operation)) allowed.add(method)
      gathered.set(request, allowed)
      next()
    })
  }
  router.use((request, response, next) => {
    const allowed = gathered.get(request)
    if (!allowed) {
      next()
      return
    }
    const refuse = () => {
      const methods = [...allowed].sort().join(', ')
      response.setHeader('allow', methods)
      throw new AssayError('method-not-allowed', `This path knows ${methods} only.`)
    }
    admission.identify(request, response).then(refuse).catch(next)
  })
}

/** A stream of events goes on for hours: it ends once its key no longer works. */
function endWithKey(
  operation: Operation,
  {
    request,
    response,
    admission,
    timers,
  }: {
    request: Request
    response: Response
    admission: Admission
    timers: Pick<Timers, 'every'>
  },
): void {
  const checking = timers.every(keyCheckMs, () => {
    void admission.isStillAdmitted(operation, request).then((isAdmitted) => {
      if (!isAdmitted) response.end(() => response.socket?.end())
    })
  })
  response.once('close', () => checking.stop())
}

/** Segments of a path; one slash at its end says nothing. */
function segmentsOf(path: string): string[] {
  const segments = path.split('/')
  if (segments.length > 2 && segments.at(-1) === '') segments.pop()
  return segments
}

const sorting = 4

/**
 * Passes a request on to a router of only those operations whose template has as many segments, and in the first ones
 * the same words or a parameter: to try two hundred templates in turn would cost more than to answer.
 */
function sorted(
  operations: readonly Operation[],
  routerOf: (few: readonly Operation[]) => Router,
): (request: Request, response: Response, next: NextFunction) => void {
  const templates = operations.map((operation) => ({ operation, segments: segmentsOf(operation.path) }))
  // Only words of the templates become keys, so that nobody can make more routers than there are such words.
  const words = Array.from(
    { length: sorting },
    (_, at) => new Set(templates.flatMap(({ segments }) => segments[at] ?? [])),
  )
  const routers = new Map<string, Router | undefined>()
  const make = (count: number, head: readonly string[]): Router | undefined => {
    const few = templates.filter(
      ({ segments }) =>
        segments.length === count &&
        segments.slice(0, sorting).every((segment, at) => segment.startsWith('{') || segment === head[at]),
    )
    return few.length === 0 ? undefined : routerOf(few.map(({ operation }) => operation))
  }
  return (request, response, next) => {
    const segments = segmentsOf(request.path)
    const head = segments.slice(0, sorting).map((segment, at) => (words[at]?.has(segment) ? segment : '{}'))
    const key = `${Math.min(segments.length, 100)}${head.join('/')}`
    if (!routers.has(key)) routers.set(key, make(segments.length, head))
    const router = routers.get(key)
    if (router === undefined) next()
    else router(request, response, next)
  }
}

/**
 * Every operation of the table: admitted, then served by its service in this process, or forwarded to it. A known path with another method is
 * 405 for whoever has a key; an unknown path passes on. Throws where a service or a route is missing.
 */
export function createOperationRouter(deps: {
  services: readonly Service[]
  /** The services that run elsewhere. */
  forwards?: ReadonlyMap<ServiceName, Forward>
  admission: Admission
  signer: Pick<IdentitySigner, 'sign'>
  positions: AnsweredPositions
  timers: Pick<Timers, 'every'>
  operations?: readonly Operation[]
}): (request: Request, response: Response, next: NextFunction) => void {
  const { services, forwards, admission, signer, positions, timers, operations = allOperations } = deps
  const serving = new Map(
    services.map(({ name, routes }) => {
      const remembered = routes.map((route) => remembering(route, positions))
      return [name, createServing({ service: name, routes: remembered, operations })] as const
    }),
  )
  for (const { id, service } of operations)
    if (!serving.has(service) && !forwards?.has(service))
      throw new AssayError('internal', `No service named ${service} serves ${id}.`)

  async function serve(operation: Operation, request: Request, response: Response): Promise<void> {
    const identity = await admission.admit(operation, request, response)
    if (operation.events) endWithKey(operation, { request, response, admission, timers })
    const served = serving.get(operation.service)?.get(operation.id)
    // Within the process the identity is handed over as it is; only what leaves it is signed.
    if (served !== undefined) return served(identity, request, response)
    request.headers[identityHeader] = signer.sign(identity)
    await forwards?.get(operation.service)?.(operation, identity, request, response, positions)
  }

  return sorted(operations, (few) => {
    const router = Router({ caseSensitive: true, strict: false })
    for (const operation of inMatchingOrder(few, ({ path }) => path)) {
      const method = operation.method.toLowerCase() as 'get' | 'post' | 'put' | 'delete'
      router[method](expressPath(operation.path), (request: Request, response: Response, next: NextFunction) => {
        serve(operation, request, response).catch(next)
      })
    }
    refuseOtherMethods(router, few, admission)
    return router
  })
}
