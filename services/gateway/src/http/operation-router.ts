import { operations as allOperations, type Operation, type ServiceName } from '@assay/contracts'
import {
  createServing,
  type IdentitySigner,
  identityHeader,
  type Route,
  type Service,
  type Timers,
} from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import type { NextFunction, Request, Response } from 'express'
import type { Forward } from '../forwarding/forward.ts'
import type { Admission } from './admission.ts'
import type { AnsweredPositions } from './answered-positions.ts'
import { createMatching } from './matching.ts'

/** How often a stream of events asks whether its key still works. Milliseconds. */
const keyCheckMs = 1_000

const reading = ['GET', 'HEAD']
const methodsOf = ({ method }: Operation): readonly string[] => (method === 'GET' ? reading : [method])

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

  /** Whoever has a key learns what a path knows. */
  async function refuse(allowed: readonly Operation[], request: Request, response: Response): Promise<never> {
    await admission.identify(request, response)
    const methods = [...new Set(allowed.flatMap(methodsOf))].sort().join(', ')
    response.setHeader('allow', methods)
    throw new AssayError('method-not-allowed', `This path knows ${methods} only.`)
  }

  const matching = createMatching(operations)
  return (request, response, next) => {
    const matches = matching(request.path)
    if (matches.length === 0) {
      next()
      return
    }
    const match = matches.find(({ operation }) => methodsOf(operation).includes(request.method))
    if (match === undefined) {
      const known = matches.map(({ operation }) => operation)
      refuse(known, request, response).catch(next)
      return
    }
    // What cannot be decoded is thrown here and is the error of this request.
    request.params = match.params()
    serve(match.operation, request, response).catch(next)
  }
}
