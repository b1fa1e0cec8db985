import { operations as allOperations, type Operation, type ServiceName } from '@assay/contracts'
import {
  createRouter,
  expressPath,
  type IdentitySigner,
  inMatchingOrder,
  type Route,
  type Service,
} from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { type NextFunction, type Request, type Response, Router } from 'express'
import type { Forward } from '../forwarding/forward.ts'
import type { Admission } from './admission.ts'
import type { AnsweredPositions } from './answered-positions.ts'

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

/**
 * Every operation of the table: admitted, then served by its service in this process, or forwarded to it. A known path with another method is
 * 405 for whoever has a key; an unknown path passes on. Throws where a service or a route is missing.
 */
export function createOperationRouter(deps: {
  services: readonly Service[]
  /** The services that run elsewhere. */
  forwards?: ReadonlyMap<ServiceName, Forward>
  admission: Admission
  signer: IdentitySigner
  positions: AnsweredPositions
  operations?: readonly Operation[]
}): Router {
  const { services, forwards, admission, signer, positions, operations = allOperations } = deps
  const routers = new Map(
    services.map(({ name, routes }) => {
      const remembered = routes.map((route) => remembering(route, positions))
      return [name, createRouter({ service: name, routes: remembered, verify: signer.verify, operations })] as const
    }),
  )
  const router = Router({ caseSensitive: true, strict: false })
  for (const operation of inMatchingOrder(operations, ({ path }) => path)) {
    const served = routers.get(operation.service)
    const forward = forwards?.get(operation.service)
    if (!served && !forward)
      throw new AssayError('internal', `No service named ${operation.service} serves ${operation.id}.`)
    const method = operation.method.toLowerCase() as 'get' | 'post' | 'put' | 'delete'
    // A service's router asked on its own could take the path of another service's operation for a parameter.
    router[method](expressPath(operation.path), (request: Request, response: Response, next: NextFunction) => {
      admission
        .admit(operation, request, response)
        .then((identity) =>
          forward ? forward(operation, identity, request, response, positions) : served?.(request, response, next),
        )
        .catch(next)
    })
  }
  refuseOtherMethods(router, operations, admission)
  return router
}
