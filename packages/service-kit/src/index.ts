export { embeddedIpv4, isReachableAddress, type Networks, networksOf } from './addresses.ts'
export { type Clock, isoTime, type NewId, type SecondTimers, type Timers } from './ambient.ts'
export { type Caller, commandContext, seenOf } from './calls/calls.ts'
export { collectWrites, isCollectingWrites, leaveUnnoted, noteWrite } from './calls/writes.ts'
export { forgetSecrets, loadConfig } from './config.ts'
export { withDeadline } from './deadline.ts'
export { derivedKey } from './derived-key.ts'
export { AssayError, type ErrorCode, isAssayError, isTransient, messageOf, statusOfCode } from './errors.ts'
export { createHttpApp, type Dispatch } from './http/app.ts'
export { requestIdOf } from './http/errors.ts'
export { type Answer, type Call, type Handler, type Identity, type Route, route, type Service } from './http/handler.ts'
export { createIdentitySigner, type IdentitySigner, identityHeader } from './http/identity.ts'
export { type Listening, listen } from './http/listen.ts'
export { asOfHeader, type Listing } from './http/listing.ts'
export { createMatching, type Match } from './http/matching.ts'
export { nameOperation } from './http/operation-name.ts'
export { assertPermitted } from './http/permission.ts'
export { formatPositions, parsePositions, positionHeader, writtenHeader } from './http/positions.ts'
export { createRouter, methodsOf } from './http/router.ts'
export { type Asked, createServing, type OnAnswer, type Serve } from './http/serving.ts'
export { parametersOf, type Target, targetOf } from './http/target.ts'
export { uuidV5 } from './ids.ts'
export { createLifecycle, type Lifecycle, type Part } from './lifecycle.ts'
export { createLogger, type Logger, type LogLevel } from './logger.ts'
export { createMetrics, type Metrics, metricsContentType, workBuckets } from './metrics.ts'
export { createOpenJobs, type JobOwner, type OpenJob, openJobLimits, tooManyOpen } from './open-jobs.ts'
export { createOutages, type Outages, type WatchedServer } from './outages.ts'
export { createSealer, type Sealer } from './sealing.ts'
export { createSignedClaims, type SignedClaims } from './signed-claims.ts'
export {
  beginWork,
  currentTrace,
  isWithinSpan,
  recordsSpans,
  type TraceCarrier,
  traced,
  type Work,
  type WorkOptions,
} from './telemetry/trace.ts'
export { createTenantSlots, type SlotLimits, type TenantSlots } from './tenant-slots.ts'
export { rootOf, type TlsFailure, tlsFailureOf, trustAdvice } from './tls-failure.ts'
