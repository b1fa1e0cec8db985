import type { Operation, ServiceName } from '@assay/contracts'
import { AssayError } from '../errors.ts'
import type { Dispatch } from './app.ts'
import type { Identity, Route } from './handler.ts'
import { identityHeader } from './identity.ts'
import { createMatching } from './matching.ts'
import { nameOperation } from './operation-name.ts'
import { assertPermitted } from './permission.ts'
import { parsePositions, positionHeader } from './positions.ts'
import { createServing } from './serving.ts'

/** The methods of an operation: HEAD works wherever GET does (RFC 9110 9.3.2). */
export function methodsOf({ method }: Operation): readonly string[] {
  return method === 'GET' ? ['GET', 'HEAD'] : [method]
}

/** The routes of one service. It checks the identity token first (401), then permissions, then the request (400). */
export function createRouter(deps: {
  service: ServiceName
  routes: readonly Route[]
  verify: (token: string | undefined) => Identity | undefined
  operations?: readonly Operation[]
}): Dispatch {
  const serving = createServing(deps)
  const matching = createMatching(deps.routes.map(({ operation }) => operation))
  return ({ path, query }, request, response) => {
    const match = matching(path).find(({ operation }) => methodsOf(operation).includes(request.method ?? ''))
    if (match === undefined) return undefined
    const { operation } = match
    const token = request.headers[identityHeader]
    const identity = deps.verify(typeof token === 'string' ? token : undefined)
    if (!identity) throw new AssayError('unauthenticated', 'The identity token is missing or invalid.')
    nameOperation(response, operation.id)
    assertPermitted(operation, identity)
    // Throws if the path cannot be decoded. Then only this request fails.
    const params = match.params()
    const seen = parsePositions(request.headers[positionHeader])
    return serving.get(operation.id)?.({ identity, params, query, seen }, request, response)
  }
}
