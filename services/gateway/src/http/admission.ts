import type { Operation } from '@assay/contracts'
import {
  type Clock,
  formatPositions,
  type Identity,
  isAssayError,
  type Metrics,
  parsePositions,
  positionHeader,
} from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import type { Request, Response } from 'express'
import type { Headers } from '../authentication/credentials.ts'
import { createTokenBuckets, type Taken } from '../limiting/token-buckets.ts'
import type { AnsweredPositions } from './answered-positions.ts'

/** Failures of authentication from one address: enough for a person's mistakes; it keeps a flood of them from the stores. */
const failures = { perSecond: 20, burst: 100 }

function tooMany(taken: Taken, response: Response, message: string): AssayError {
  response.setHeader('retry-after', taken.retryAfter)
  return new AssayError('rate-limited', `${message} Try again in ${taken.retryAfter} s.`)
}

export interface Admission {
  /** Who calls, within their rate. Errors: `unauthenticated`, `rate-limited`, `unavailable`. */
  identify(request: Request, response: Response): Promise<Identity>
  /**
   * `identify`, then the operation's permissions; then the request carries the positions for the service. Errors: those
   * of `identify`, `forbidden`.
   */
  admit(operation: Operation, request: Request, response: Response): Promise<Identity>
  /** False once the key no longer works, or not for this operation. A store that cannot be asked leaves it as it was. */
  isStillAdmitted(operation: Operation, request: Request): Promise<boolean>
}

export function createAdmission(deps: {
  authenticate: (headers: Headers) => Promise<Identity>
  positions: AnsweredPositions
  /** Requests per second and key, with bursts of twice as many. 0: no limit. */
  rateLimit: number
  metrics: Metrics
  clock: Clock
}): Admission {
  const { authenticate, positions, rateLimit, metrics, clock } = deps
  const buckets = rateLimit > 0 ? createTokenBuckets({ perSecond: rateLimit, burst: rateLimit * 2 }) : undefined
  const failing = createTokenBuckets(failures)

  async function authenticated(request: Request, response: Response): Promise<Identity> {
    try {
      return await authenticate(request.headers)
    } catch (error) {
      if (!isAssayError(error, 'unauthenticated')) throw error
      metrics.count('assay_authentication_failures_total')
      // Only those who failed are counted, so that a good key behind the same address is never refused for them.
      const taken = failing.take(request.socket.remoteAddress ?? '', clock.now())
      if (!taken.ok) throw tooMany(taken, response, 'Too many requests of this address failed to authenticate.')
      throw error
    }
  }

  async function identify(request: Request, response: Response): Promise<Identity> {
    const identity = await authenticated(request, response)
    const taken = buckets?.take(identity.accessKey, clock.now())
    if (!taken) return identity
    response.setHeader('ratelimit-limit', taken.limit)
    response.setHeader('ratelimit-remaining', taken.remaining)
    response.setHeader('ratelimit-reset', taken.fullAfter)
    if (!taken.ok) throw tooMany(taken, response, `This key may send ${rateLimit} requests a second.`)
    return identity
  }

  return {
    identify,
    async isStillAdmitted(operation, request) {
      try {
        const { permissions } = await authenticate(request.headers)
        return operation.permissions.every((permission) => permissions.has(permission))
      } catch (error) {
        return !isAssayError(error, 'unauthenticated')
      }
    },
    async admit(operation, request, response) {
      response.locals.operation = operation.id
      const identity = await identify(request, response)
      const missing = operation.permissions.filter((permission) => !identity.permissions.has(permission))
      if (missing.length > 0)
        throw new AssayError(
          operation.deniedStatus === 404 ? 'not-found' : 'forbidden',
          operation.denied ?? `This key lacks the permission${missing.length > 1 ? 's' : ''} ${missing.join(', ')}.`,
        )
      const seen = positions.with(identity.accessKey, parsePositions(request.headers[positionHeader]))
      if (seen.size > 0) request.headers[positionHeader] = formatPositions(seen)
      return identity
    },
  }
}
