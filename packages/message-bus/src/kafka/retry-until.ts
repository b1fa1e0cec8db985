import type { Clock, Timers } from '@assay/service-kit'
import { AssayError, messageOf } from '@assay/service-kit/errors'

/** Protocol errors that mean that the request itself is wrong, so that every retry would fail. */
const finalTypes = new Set([
  'TOPIC_AUTHORIZATION_FAILED',
  'GROUP_AUTHORIZATION_FAILED',
  'CLUSTER_AUTHORIZATION_FAILED',
  'SASL_AUTHENTICATION_FAILED',
  'UNSUPPORTED_SASL_MECHANISM',
  'SECURITY_DISABLED',
  'UNSUPPORTED_VERSION',
  'INVALID_TOPIC_EXCEPTION',
  'INVALID_CONFIG',
  'INVALID_REQUEST',
  'INVALID_REPLICA_ASSIGNMENT',
  'POLICY_VIOLATION',
])
const finalNames = new Set(['KafkaJSSASLAuthenticationError', 'KafkaJSNotImplemented'])

/** The error, its parts and its causes, without repetitions. */
function partsOf(error: unknown, found = new Set<unknown>()): Set<unknown> {
  if (error === undefined || found.has(error)) return found
  found.add(error)
  if (!(error instanceof Error)) return found
  partsOf(error.cause, found)
  if ('errors' in error && Array.isArray(error.errors)) for (const part of error.errors) partsOf(part, found)
  return found
}

const isFinalPart = (error: unknown) =>
  error instanceof Error &&
  (finalNames.has(error.name) ||
    ('type' in error && typeof error.type === 'string' && finalTypes.has(error.type)) ||
    // An AssayError is already a final decision.
    error instanceof AssayError)

/**
 * Whether a request would fail again at every retry. The driver's own classification is not used: it treats transient
 * errors during a leader election, and all errors of creating a topic, as final.
 */
export const isFinal = (error: unknown): boolean => [...partsOf(error)].some(isFinalPart)

/** The messages of an error's parts, or its own message if it has no parts. */
function messagesOf(error: unknown): string {
  if (!(error instanceof Error) || !('errors' in error) || !Array.isArray(error.errors) || error.errors.length === 0)
    return messageOf(error)
  return [...new Set(error.errors.map(messageOf))].join('; ')
}

const firstPauseMs = 100
const maxPauseMs = 2000

/** Retries a request to the cluster until it succeeds. Requests of one operation share its deadline. */
export type Ask = <Answer>(question: () => Promise<Answer>) => Promise<Answer>

/**
 * Starts the deadline of an operation. Failing requests are retried for `forMs` milliseconds, with pauses from 0.1 s to
 * 2 s. A final error is thrown unchanged and immediately. After the deadline, the error is `unavailable`. `doing`
 * completes "Kafka could not …".
 */
export function retryUntil(clock: Clock, timers: Timers, forMs: number, doing: string): Ask {
  const until = clock.now() + forMs
  return async (question) => {
    for (let pause = firstPauseMs; ; pause = Math.min(maxPauseMs, 2 * pause)) {
      try {
        return await question()
      } catch (error) {
        if (isFinal(error)) throw error
        if (clock.now() + pause > until)
          throw new AssayError('unavailable', `Kafka could not ${doing}: ${messagesOf(error)}`, { cause: error })
        await timers.sleep(pause)
      }
    }
  }
}
