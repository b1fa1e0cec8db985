import { type Clock, rootOf, tlsFailureOf } from '@assay/service-kit'
import { isAssayError } from '@assay/service-kit/errors'
import { Agent, type Dispatcher, request } from 'undici'
import { type AttemptResult, attemptMs, delivered, failed, late } from './attempt-result.ts'
import type { ReceiverCheck } from './lookup.ts'

/** The body of an answer is read only so that the connection can be reused, and only up to these limits. */
const ignoredBytes = 16_384
const ignoredMs = 1_000
const longestHoldMs = 24 * 3_600_000
const keepAliveMs = 10_000

export interface HttpMessage {
  url: string
  headers: Readonly<Record<string, string>>
  body: string
  /** Maximum time of the attempt in milliseconds. Default: `attemptMs`. */
  withinMs?: number | undefined
}

/** Posts messages. A receiver's addresses are checked at each connection, and redirects are not followed. */
export interface HttpSender {
  post(message: HttpMessage, signal?: AbortSignal): Promise<AttemptResult>
  close(): Promise<void>
}

/** Why there was no answer. Never contains text that the receiver sent. */
function sentenceOf(error: unknown): string {
  const root = rootOf(error)
  if (isAssayError(root)) return root.message.replace('configuration.url: ', '')
  const tls = tlsFailureOf(error)
  if (tls === 'untrusted') return 'The certificate of the receiver is not trusted.'
  if (tls !== undefined) return 'The TLS handshake with the receiver failed.'
  const code = root instanceof Error && 'code' in root ? root.code : undefined
  if (code === 'ENOTFOUND' || code === 'ENODATA') return 'The name of the receiver was not found. Check the URL.'
  if (code === 'EAI_AGAIN') return 'The name of the receiver could not be looked up: the name server did not answer.'
  if (code === 'ECONNREFUSED') return 'The receiver refused the connection.'
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT') return 'The receiver could not be reached in time.'
  if (code === 'EHOSTUNREACH' || code === 'ENETUNREACH') return 'The receiver could not be reached.'
  return 'The receiver closed the connection without an answer.'
}

/** The time that Retry-After names; null if it is absent or malformed. Pure. */
export function holdUntilOf(status: number, header: string | undefined, now: number): number | null {
  if ((status !== 429 && status !== 503) || header === undefined) return null
  const at = /^\d{1,9}$/.test(header) ? now + Number(header) * 1_000 : Date.parse(header)
  return Number.isFinite(at) && at > now ? Math.min(at, now + longestHoldMs) : null
}

/** `ca`: additional authorities, PEM. */
export function createHttpSender(deps: { check: ReceiverCheck; clock: Clock; ca?: string | undefined }): HttpSender {
  const { check, clock, ca } = deps
  const agentWith = (lookup: ReceiverCheck['lookup']) =>
    new Agent({
      connect: { lookup, timeout: attemptMs, ...(ca === undefined ? {} : { ca }) },
      keepAliveTimeout: keepAliveMs,
      pipelining: 1,
    })
  const overTls = agentWith(check.lookup)
  const plain = agentWith(check.lookupPlain)

  /** Reads the rest without looking at it. */
  function ignoreRest(body: Dispatcher.ResponseData['body']): void {
    const ending = new AbortController()
    const timer = setTimeout(() => ending.abort(), ignoredMs)
    body.on('error', () => undefined)
    body
      .dump({ limit: ignoredBytes, signal: ending.signal })
      .catch(() => undefined)
      .finally(() => clearTimeout(timer))
  }

  return {
    async post({ url, headers, body, withinMs = attemptMs }, signal) {
      const startedAt = performance.now()
      const latency = () => Math.round(performance.now() - startedAt)
      const ending = new AbortController()
      let isLate = false
      // Not `AbortSignal.timeout`: it would create an error for each message, ten seconds after it was delivered.
      const timer = setTimeout(() => {
        isLate = true
        ending.abort()
      }, withinMs)
      const stop = () => ending.abort()
      signal?.addEventListener('abort', stop, { once: true })
      try {
        signal?.throwIfAborted()
        const receiver = new URL(url)
        check.checkLiteral(receiver)
        const answer = await request(url, {
          method: 'POST',
          headers: { 'user-agent': 'Assay', ...headers, 'content-type': 'application/json' },
          body,
          dispatcher: receiver.protocol === 'https:' ? overTls : plain,
          signal: ending.signal,
        })
        ignoreRest(answer.body)
        const { statusCode: status } = answer
        if (status >= 200 && status < 300) return delivered(status, latency())
        const retryAfter = answer.headers['retry-after']
        const holdUntil = holdUntilOf(status, typeof retryAfter === 'string' ? retryAfter : undefined, clock.now())
        return failed(`The receiver answered ${status}.`, latency(), { status, holdUntil, isGone: status === 410 })
      } catch (error) {
        if (signal?.aborted) throw error
        const why = isLate ? late('The receiver', withinMs) : sentenceOf(error)
        return failed(why, latency())
      } finally {
        clearTimeout(timer)
        signal?.removeEventListener('abort', stop)
      }
    },
    async close() {
      await Promise.all([overTls.destroy(), plain.destroy()])
    },
  }
}
