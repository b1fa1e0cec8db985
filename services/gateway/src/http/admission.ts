import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Operation, ServiceName } from '@assay/contracts'
import {
  assertPermitted,
  type Clock,
  type Identity,
  isAssayError,
  type Metrics,
  nameOperation,
  parsePositions,
  positionHeader,
} from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import type { Authenticator } from '../authentication/authenticator.ts'
import type { MaybePromise } from '../authentication/maybe-promise.ts'
import { createTokenBuckets, type Taken } from '../limiting/token-buckets.ts'
import type { SeenStates } from './answered-positions.ts'
import { senderOf } from './client-of.ts'

/** Burst of failed authentications from one address, in seconds of the rate: enough for a person's mistakes. */
const burstSeconds = 5

function tooMany(taken: Taken, response: ServerResponse, message: string): AssayError {
  response.setHeader('retry-after', taken.retryAfter)
  return new AssayError('rate-limited', `${message} Try again in ${taken.retryAfter} s.`)
}

/** A caller with the permissions for the operation. */
export interface Admitted {
  identity: Identity
  /** The positions that the service must have reached: those in the request and those recently answered to the key. */
  seen: ReadonlyMap<ServiceName, readonly string[]>
}

export interface Admission {
  /**
   * Authenticates the caller and applies their rate limit. Throws `unauthenticated`, `rate-limited`, `unavailable`.
   */
  identify(request: IncomingMessage, response: ServerResponse): Promise<Identity>
  /**
   * `identify`, then the operation's permissions. Throws the errors of `identify`, and `forbidden`. `token`: of the stream
   * of events, instead of a key pair.
   */
  admit(
    operation: Operation,
    request: IncomingMessage,
    response: ServerResponse,
    token?: string,
  ): MaybePromise<Admitted>
  /**
   * False once the key no longer works, or lacks any permission that it had when it was admitted as `identity`. If the
   * store fails, the admission stays.
   */
  isStillAdmitted(identity: Identity, request: IncomingMessage, token: string | undefined): Promise<boolean>
}

export function createAdmission(deps: {
  authenticator: Authenticator
  positions: SeenStates
  /** Requests per second and key, with bursts of twice that. 0: no limit. */
  rateLimit: number
  /** Failed authentications per second and address, with bursts of five times that. 0: no limit. */
  failureLimit: number
  metrics: Metrics
  clock: Clock
}): Admission {
  const { authenticator, positions, rateLimit, failureLimit, metrics, clock } = deps
  const failures = metrics.counter({
    name: 'assay_authentication_failures_total',
    help: 'Requests without a valid key.',
  })
  const buckets = rateLimit > 0 ? createTokenBuckets({ perSecond: rateLimit, burst: rateLimit * 2 }) : undefined

  const failing =
    failureLimit > 0 ? createTokenBuckets({ perSecond: failureLimit, burst: failureLimit * burstSeconds }) : undefined

  function refused(error: unknown, request: IncomingMessage, response: ServerResponse): unknown {
    if (!isAssayError(error, 'unauthenticated')) return error
    failures.add({})
    // Counts only failures, so that a valid key behind the same address is never refused because of them.
    const taken = failing?.take(request.socket.remoteAddress ?? '', clock.now())
    return taken?.ok === false
      ? tooMany(taken, response, 'Too many requests from this address failed to authenticate.')
      : error
  }

  function withinRate(identity: Identity, response: ServerResponse): Identity {
    const taken = buckets?.take(identity.accessKey, clock.now())
    if (!taken) return identity
    response.setHeader('ratelimit-limit', taken.limit)
    response.setHeader('ratelimit-remaining', taken.remaining)
    response.setHeader('ratelimit-reset', taken.fullAfter)
    if (!taken.ok) throw tooMany(taken, response, `This key may send ${rateLimit} requests a second.`)
    return identity
  }

  /** Authenticates the caller, then runs `next`, synchronously if nothing has to be awaited. */
  function identified<T>(
    request: IncomingMessage,
    response: ServerResponse,
    next: (who: Identity) => T,
    token?: string,
  ): MaybePromise<T> {
    const found = known(request, response, token)
    if (!(found instanceof Promise)) return next(withinRate(found, response))
    return found.then(
      (identity) => next(withinRate(identity, response)),
      (error) => {
        throw refused(error, request, response)
      },
    )
  }

  function known(
    request: IncomingMessage,
    response: ServerResponse,
    token: string | undefined,
  ): MaybePromise<Identity> {
    try {
      return token === undefined ? authenticator.ofHeaders(request.headers) : authenticator.ofToken(token)
    } catch (error) {
      throw refused(error, request, response)
    }
  }

  return {
    async identify(request, response) {
      return identified(request, response, (identity) => identity)
    },
    async isStillAdmitted(identity, request, token) {
      try {
        const { permissions } = await (token === undefined
          ? authenticator.ofHeaders(request.headers)
          : authenticator.ofToken(token, { hasBegun: true }))
        return [...identity.permissions].every((permission) => permissions.has(permission))
      } catch (error) {
        return !isAssayError(error, 'unauthenticated')
      }
    },
    admit(operation, request, response, token) {
      nameOperation(response, operation.id)
      const admitted = (identity: Identity) => {
        assertPermitted(operation, identity)
        const seen = positions.with(senderOf(request, identity), parsePositions(request.headers[positionHeader]))
        return { identity, seen }
      }
      return identified(request, response, admitted, token)
    },
  }
}
