import type { RequestListener } from 'node:http'
import type { Operation, ServiceName } from '@assay/contracts'
import {
  type Clock,
  createHttpApp,
  type Identity,
  type IdentitySigner,
  type Logger,
  type Metrics,
  type NewId,
  type Service,
  type Timers,
} from '@assay/service-kit'
import type { Headers } from '../authentication/credentials.ts'
import type { Now } from '../authentication/now.ts'
import type { Forward } from '../forwarding/forward.ts'
import { createAdmission } from './admission.ts'
import { type AnsweredPositions, createAnsweredPositions } from './answered-positions.ts'
import { docsRouter } from './docs.ts'
import { observationRouter } from './observation-router.ts'
import { createOperationRouter } from './operation-router.ts'

/** For one service and key: more entities than a caller works on at once. */
const maxAnswered = 8

/**
 * The one public door. Checks come in this order: 401, 429, 403, 400, then what the service finds; an unknown path is 404
 * for everybody. `services` and `forwards` together must hold every service of the table of operations.
 */
export function createGatewayApp(deps: {
  /** `writes`: where the log of each service has what a key has written lately. */
  gateway: {
    authenticate(headers: Headers): Now<Identity>
    writes: AnsweredPositions
    /** Throws `forbidden` where a tenant has stored as much as it may. */
    requireRoom(tenant: string): void
  }
  services: readonly Service[]
  /** The services that run elsewhere. Whether they are ready is theirs to say. */
  forwards?: ReadonlyMap<ServiceName, Forward>
  signer: Pick<IdentitySigner, 'sign'>
  /** Requests per second and key, with bursts of twice as many. 0: no limit. */
  rateLimit: number
  /** Failed authentications per second and address, with bursts of five times as many. 0: no limit. */
  failureLimit: number
  version: string
  logger: Logger
  metrics: Metrics
  newId: NewId
  clock: Clock
  timers: Pick<Timers, 'every'>
  /** False when the process is to be ended and started anew. Default: always true. */
  isAlive?: () => boolean
  /** What is late and keeps nobody from being served: `/readyz` says it. */
  waiting?: () => readonly string[]
  /** Default: all of Assay. */
  operations?: readonly Operation[]
}): RequestListener {
  const { gateway, services, forwards, signer, logger, metrics, newId, operations } = deps
  const positions = createAnsweredPositions(deps.clock, maxAnswered)
  const admission = createAdmission({
    ...deps,
    authenticate: (headers) => gateway.authenticate(headers),
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
