import type { Clock, Timers } from '@assay/service-kit'
import { AssayError, messageOf } from '@assay/service-kit/errors'

/** Types of errors of the protocol that say of the question itself that it is wrong: the same one fails again. */
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

/** The error with what it consists of and what caused it, each once. */
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
    // An own one of ours is a verdict already.
    error instanceof AssayError)

/**
 * Whether a question that failed so fails again however often it is asked. The driver's own word is not asked: it takes
 * its slips during an election of leaders, and all errors of making a topic, for final.
 */
export const isFinal = (error: unknown): boolean => [...partsOf(error)].some(isFinalPart)

/** What the parts of an error say, where the error itself says only that there are some. */
function saidBy(error: unknown): string {
  if (!(error instanceof Error) || !('errors' in error) || !Array.isArray(error.errors) || error.errors.length === 0)
    return messageOf(error)
  return [...new Set(error.errors.map(messageOf))].join('; ')
}

const firstPauseMs = 100
const maxPauseMs = 2000

/** Asks a question of the cluster until it is answered; the questions of one piece of work share its time. */
export type Ask = <Answer>(question: () => Promise<Answer>) => Promise<Answer>

/**
 * Begins a piece of work that may take `forMs` milliseconds of failing tries, with pauses from 0.1 s to 2 s. What fails
 * for good is thrown at once as it is; what fails still when the time is over is `unavailable`. `doing` completes
 * "Kafka could not …".
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
          throw new AssayError('unavailable', `Kafka could not ${doing}: ${saidBy(error)}`, { cause: error })
        await timers.sleep(pause)
      }
    }
  }
}
