import type { RequestListener } from 'node:http'
import type { Operation, ServiceName } from '@assay/contracts'
import {
  type Clock,
  createHttpApp,
  type IdentitySigner,
  type Logger,
  type Metrics,
  type NewId,
  type Service,
  type Timers,
} from '@assay/service-kit'
import type { Authenticator } from '../authentication/authenticator.ts'
import type { Forward } from '../forwarding/forward.ts'
import { createAdmission } from './admission.ts'
import { type AnsweredPositions, createSeenStates } from './answered-positions.ts'
import { docsRouter } from './docs.ts'
import { observationRouter } from './observation-router.ts'
import { createOperationRouter } from './operation-router.ts'

/**
 * The only public entry point. Checks run in this order: 401, 429, 403, 400, then the checks of the service. An unknown path
 * is 404 for everybody. `services` and `forwards` together must have every service of the table of operations.
 */
export function createGatewayApp(deps: {
  /** `writes`: the recent write positions of each key, by service. */
  gateway: {
    authenticator: Authenticator
    writes: AnsweredPositions
    /** Throws `forbidden` if the tenant has used up its storage. */
    requireRoom(tenant: string): void
  }
  services: readonly Service[]
  /** Services in other processes. They report their own readiness. */
  forwards?: ReadonlyMap<ServiceName, Forward>
  signer: Pick<IdentitySigner, 'sign'>
  /** Requests per second and key, with bursts of twice that. 0: no limit. */
  rateLimit: number
  /** Failed authentications per second and address, with bursts of five times that. 0: no limit. */
  failureLimit: number
  version: string
  logger: Logger
  metrics: Metrics
  newId: NewId
  clock: Clock
  timers: Pick<Timers, 'every'>
  /** False when the process must be restarted. Default: always true. */
  isAlive?: () => boolean
  /** Delays that do not stop the service, shown by `/readyz`. */
  waiting?: () => Promise<readonly string[]>
  /** Default: all operations of Assay. */
  operations?: readonly Operation[]
}): RequestListener {
  const { gateway, services, forwards, signer, logger, metrics, newId, operations } = deps
  const positions = createSeenStates(deps.clock)
  const admission = createAdmission({
    ...deps,
    authenticator: gateway.authenticator,
    positions,
  })
  const dispatch = createOperationRouter({
    services,
    admission,
    signer,
    positions,
    writes: gateway.writes,
    requireRoom: (tenant) => gateway.requireRoom(tenant),
    timers: deps.timers,
    ...(forwards ? { forwards } : {}),
    ...(operations ? { operations } : {}),
  })
  return createHttpApp({
    logger,
    newId,
    metrics,
    dispatch,
    configure(app) {
      app.use(observationRouter(deps))
      app.use(docsRouter())
    },
  })
}
