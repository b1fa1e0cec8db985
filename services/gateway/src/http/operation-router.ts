import type { IncomingMessage, ServerResponse } from 'node:http'
import { operations as allOperations, type Operation, type ServiceName } from '@assay/contracts'
import {
  createMatching,
  createServing,
  type Dispatch,
  formatPositions,
  type Identity,
  type IdentitySigner,
  identityHeader,
  type Match,
  methodsOf,
  type OnAnswer,
  positionHeader,
  type Service,
  type Timers,
} from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { takeToken } from '../event-tokens/token-of-request.ts'
import type { Forward } from '../forwarding/forward.ts'
import type { Admission, Admitted } from './admission.ts'
import type { AnsweredPositions, SeenStates } from './answered-positions.ts'
import { senderOf } from './client-of.ts'

/** How often a stream of events checks its key, in milliseconds. */
const keyCheckMs = 1_000

/** A full tenant can still read, delete, and change its keys. */
const needsRoom = ({ method, service }: Operation) => method !== 'GET' && method !== 'DELETE' && service !== 'gateway'

/**
 * A stream of events lasts for hours, and shows what its key could see when it began. So it ends once the key no longer
 * works or has lost a permission; the client resumes it with the permissions that are left.
 */
function endWithKey(
  identity: Identity,
  {
    request,
    response,
    token,
    admission,
    timers,
  }: {
    request: IncomingMessage
    response: ServerResponse
    token: string | undefined
    admission: Admission
    timers: Pick<Timers, 'every'>
  },
): void {
  const checking = timers.every(keyCheckMs, () => {
    void admission.isStillAdmitted(identity, request, token).then((isAdmitted) => {
      if (!isAdmitted) response.end(() => response.socket?.end())
    })
  })
  response.once('close', () => checking.stop())
}

/**
 * Routes every operation of the table: admits it, then serves it in this process or forwards it. A known path with
 * another method is 405 for any valid key; unknown paths are not handled here. Throws if a service or a route is
 * missing.
 */
export function createOperationRouter(deps: {
  services: readonly Service[]
  /** Services in other processes. */
  forwards?: ReadonlyMap<ServiceName, Forward>
  admission: Admission
  signer: Pick<IdentitySigner, 'sign'>
  positions: SeenStates
  writes: AnsweredPositions
  /** Throws `forbidden` if the tenant has used up its storage. */
  requireRoom(tenant: string): void
  timers: Pick<Timers, 'every'>
  operations?: readonly Operation[]
}): Dispatch {
  const { services, forwards, admission, signer, positions, writes, requireRoom, timers } = deps
  const { operations = allOperations } = deps
  const remember: OnAnswer = (identity, { service, method }, answered, request) => {
    const { states = [], written = [] } = answered
    const of = { service, isWrite: method !== 'GET' }
    positions.remember(senderOf(request, identity), of, states)
    for (const each of written) writes.remember(identity.accessKey, service, each)
  }
  const serving = new Map(
    services.flatMap(({ name, routes }) => [
      ...createServing({ service: name, routes, operations, onAnswer: remember }),
    ]),
  )
  for (const { id, service } of operations)
    if (!serving.has(id) && !forwards?.has(service))
      throw new AssayError('internal', `No service named ${service} serves ${id}.`)

  async function forward(
    operation: Operation,
    { identity, seen }: Admitted,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    if (seen.size > 0) request.headers[positionHeader] = formatPositions(seen)
    request.headers[identityHeader] = signer.sign(identity)
    return forwards?.get(operation.service)?.(operation, identity, request, response, { positions, writes })
  }

  function serve(
    { match, query, token }: { match: Match; query: string; token?: string | undefined },
    admitted: Admitted,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> | undefined {
    const { operation } = match
    if (needsRoom(operation)) requireRoom(admitted.identity.tenant)
    // Throws if the path cannot be decoded, which fails this request only.
    const params = match.params()
    // The caller left during authentication; no later event reports that.
    if (response.closed) return Promise.resolve()
    if (operation.events) endWithKey(admitted.identity, { request, response, token, admission, timers })
    const served = serving.get(operation.id)
    // Within the process the identity is passed directly; only forwarded requests carry it signed.
    if (served === undefined) return forward(operation, admitted, request, response)
    const { identity, seen } = admitted
    return served({ identity, seen, params, query }, request, response)
  }

  /** Only callers with a valid key learn which methods a path has. */
  async function refuse(matches: readonly Match[], request: IncomingMessage, response: ServerResponse): Promise<never> {
    await admission.identify(request, response)
    const methods = [...new Set(matches.flatMap(({ operation }) => methodsOf(operation)))].sort().join(', ')
    response.setHeader('allow', methods)
    throw new AssayError('method-not-allowed', `Method not allowed. Allowed: ${methods}.`)
  }

  const matching = createMatching(operations)
  return ({ path, query }, request, response) => {
    // Only the gateway sets the identity of a caller.
    if (request.headers[identityHeader] !== undefined) delete request.headers[identityHeader]
    const matches = matching(path)
    if (matches.length === 0) return undefined
    const match = matches.find(({ operation }) => methodsOf(operation).includes(request.method ?? ''))
    if (match === undefined) return refuse(matches, request, response)
    const asked = match.operation.events ? { match, ...takeToken(request) } : { match, query, token: undefined }
    const admitted = admission.admit(match.operation, request, response, asked.token)
    return admitted instanceof Promise
      ? admitted.then((found) => serve(asked, found, request, response))
      : serve(asked, admitted, request, response)
  }
}
