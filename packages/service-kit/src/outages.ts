import type { Clock } from './ambient.ts'
import { isTransient, messageOf } from './errors.ts'
import type { Logger } from './logger.ts'

/** A server, such as the event store, whose calls are watched. */
export interface WatchedServer {
  /** Reports that a call was answered, successfully or not. */
  answered(): void
  /** Reports a failed call. An error that is not transient (`isTransient`) counts as an answer. */
  failed(error: unknown): void
  /** Records the outcome of the call `work`, and passes it on. */
  watch<T>(work: Promise<T>): Promise<T>
}

/**
 * Outages of servers, logged briefly: one line when an outage begins, one line a minute with the number of failures
 * since, and one line when it ends.
 */
export interface Outages {
  server(name: string): WatchedServer
  /**
   * A logger without lines that only repeat an outage. During an outage, a warning or error whose only reason is a
   * failed call is counted, and logged only at level debug. Lines about parked messages, or with a stack, are logged
   * unchanged, because their problem remains after the outage.
   */
  quiet(logger: Logger): Logger
}

const minuteMs = 60_000
/**
 * An answer ends an outage only if no call has failed for this long, because some connections may work while others
 * fail.
 */
const settledMs = 5_000
/** Without an answer, an outage ends if no call has failed for this long. */
const agedMs = 5 * minuteMs
/** Maximum number of reasons that are kept for an outage. */
const maxReasons = 20

interface Outage {
  since: number
  lastFailureAt: number
  lastLineAt: number
  failures: number
  suppressed: number
  reasons: Set<string>
}

/** The reason in a problem of `/readyz`: the part after the colon. */
function reasonOfProblem(problem: string): string {
  const colon = problem.indexOf(': ')
  return colon === -1 ? problem : problem.slice(colon + 2)
}

function reasonsOfProblems(value: unknown): string[] {
  if (typeof value === 'string') return [reasonOfProblem(value)]
  if (Array.isArray(value)) return value.flatMap(reasonsOfProblems)
  return typeof value === 'object' && value !== null && 'problems' in value ? reasonsOfProblems(value.problems) : []
}

/** The texts of a log line that state its reason. */
function reasonsOf([name, value]: [string, unknown]): string[] {
  switch (name) {
    case 'error':
    case 'reason':
    case 'why':
      if (value instanceof Error) return [value.message]
      return typeof value === 'string' ? [value] : []
    case 'problems':
    case 'unready':
      return reasonsOfProblems(value)
    default:
      return []
  }
}

/** Whether the problem of a log line remains after the outage. */
function outlastsOutage(fields: object): boolean {
  return ('parked' in fields && fields.parked === true) || 'stack' in fields
}

export function createOutages(deps: { logger: Logger; clock: Clock }): Outages {
  const { logger, clock } = deps
  const outages = new Map<string, Outage>()

  function begin(server: string, error: unknown): Outage {
    const now = clock.now()
    const outage = {
      since: now,
      lastFailureAt: now,
      lastLineAt: now,
      failures: 0,
      suppressed: 0,
      reasons: new Set<string>(),
    }
    outages.set(server, outage)
    logger.error({ server, error: messageOf(error) }, `${server} does not answer`)
    return outage
  }

  function failed(server: string, error: unknown): void {
    endAged()
    if (!isTransient(error)) {
      answered(server)
      return
    }
    const outage = outages.get(server) ?? begin(server, error)
    const now = clock.now()
    outage.failures += 1
    outage.lastFailureAt = now
    if (outage.reasons.size < maxReasons) outage.reasons.add(messageOf(error))
    if (now - outage.lastLineAt < minuteMs) return
    outage.lastLineAt = now
    const { failures, suppressed } = outage
    const about = { server, error: messageOf(error), failures, suppressed, seconds: secondsOf(outage) }
    logger.warn(about, `${server} still does not answer`)
  }

  const secondsOf = ({ since }: Outage) => Math.round((clock.now() - since) / 1000)

  function answered(server: string): void {
    const outage = outages.get(server)
    if (outage === undefined || clock.now() - outage.lastFailureAt < settledMs) return
    end(server, outage, `${server} answers again`)
  }

  function end(server: string, outage: Outage, text: string): void {
    outages.delete(server)
    const { failures, suppressed } = outage
    logger.warn({ server, failures, suppressed, seconds: secondsOf(outage) }, text)
  }

  /** Called before a line is written, so that outages need no timer. */
  function endAged(): void {
    for (const [server, outage] of outages)
      if (clock.now() - outage.lastFailureAt >= agedMs) end(server, outage, `${server} has not failed for five minutes`)
  }

  /** Whether an outage is the only reason for a line. */
  function repeats(fields: object): boolean {
    endAged()
    const reasons = outlastsOutage(fields) ? [] : Object.entries(fields).flatMap(reasonsOf)
    if (reasons.length === 0) return false
    const open = [...outages.values()]
    const isKnown = (reason: string) => open.some((outage) => outage.reasons.has(reason))
    if (!reasons.every(isKnown)) return false
    for (const outage of open) outage.suppressed += 1
    return true
  }

  return {
    server(name) {
      const onAnswer = () => answered(name)
      const onError = (error: unknown) => failed(name, error)
      return {
        answered: onAnswer,
        failed: onError,
        watch(work) {
          work.then(outages.size === 0 ? undefined : onAnswer, onError)
          return work
        },
      }
    },
    quiet(inner) {
      const unless =
        (level: 'warn' | 'error') =>
        (fields: object, message: string): void =>
          inner[outages.size > 0 && repeats(fields) ? 'debug' : level](fields, message)
      return { ...inner, warn: unless('warn'), error: unless('error') }
    },
  }
}
