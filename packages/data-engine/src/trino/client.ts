import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { Agent, type Dispatcher } from 'undici'
import { z } from 'zod'
import type { Target } from '../databases/reach.ts'
import type { TrinoSource } from '../dataset.ts'
import { exactJson } from './exact-json.ts'
import { httpFailure, openingFailure } from './failures.ts'

const unpacked = promisify(gunzip)
/** Maximum length of an unpacked part; the server makes parts of at most 16 MB. */
const mostBytes = 256 * 2 ** 20
const answerTimeoutMs = 60_000
const mostTries = 6
const firstPauseMs = 50
/** The coordinator, or a proxy before it, is busy or restarts. It has not taken the request. */
const busy: ReadonlySet<number> = new Set([429, 502, 503, 504])

const errorOf = z.object({
  message: z.string().default(''),
  errorName: z.string().default(''),
  errorType: z.string().default(''),
  /** Set if the text of the statement is wrong, so that nothing has run. */
  errorLocation: z.object({ lineNumber: z.number() }).optional(),
})
export type StatementError = z.infer<typeof errorOf>

const answer = z.object({
  id: z.string(),
  nextUri: z.string().optional(),
  columns: z.array(z.object({ name: z.string(), type: z.string() })).optional(),
  data: z.array(z.array(z.unknown())).optional(),
  error: errorOf.optional(),
})
export type Answer = z.infer<typeof answer>

/** Requests of the statement protocol. Throws `unprocessable` with the reason if the server cannot be reached. */
export interface TrinoClient {
  /** Hands a statement over. Not abortable, because without the answer the statement could not be cancelled. */
  begin(statement: string): Promise<Answer>
  /** Waits up to a second for the next part of an answer. `nextUri`: of the part before. */
  next(nextUri: string, signal: AbortSignal): Promise<Answer>
  /** Cancels a statement. Never rejects. */
  cancel(nextUri: string): Promise<void>
  close(): Promise<void>
}

/** Connects to the checked addresses only, whatever the name resolves to by now. */
function agentFor({ source, addresses }: Target<TrinoSource>): Agent {
  const all = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  const [first] = all
  return new Agent({
    connect: {
      timeout: source.connectTimeoutSeconds * 1000,
      lookup: (_host, { all: wantsAll }, found) =>
        wantsAll === true ? found(null, all) : found(null, first?.address ?? '', first?.family),
      ...(source.tlsCa === undefined ? {} : { ca: source.tlsCa }),
    },
    // A coordinator that accepts connections without answering is noticed at the first request.
    headersTimeout: answerTimeoutMs,
    bodyTimeout: answerTimeoutMs,
  })
}

/** A client of one coordinator. All its requests go to the configured address. */
export function createTrinoClient(target: Target<TrinoSource>): TrinoClient {
  const { source, password } = target
  const agent = agentFor(target)
  const headers = {
    'x-trino-user': source.user,
    'x-trino-source': 'assay',
    'x-trino-time-zone': 'UTC',
    // Without it, times are cut to milliseconds.
    'x-trino-client-capabilities': 'PARAMETRIC_DATETIME',
    'accept-encoding': 'gzip',
    ...(password === undefined
      ? {}
      : { authorization: `Basic ${Buffer.from(`${source.user}:${password}`).toString('base64')}` }),
  }
  let hasAnswered = false

  async function request(method: 'POST' | 'GET' | 'DELETE', path: string, more: Partial<Dispatcher.RequestOptions>) {
    const limits = hasAnswered ? {} : { headersTimeout: source.connectTimeoutSeconds * 1000 }
    const {
      statusCode,
      body,
      headers: own,
    } = await agent.request({
      ...{ origin: source.url, method, path, headers, ...limits, ...more },
    })
    const bytes = Buffer.from(await body.arrayBuffer())
    const isPacked = own['content-encoding'] === 'gzip'
    return {
      status: statusCode,
      text: (isPacked ? await unpacked(bytes, { maxOutputLength: mostBytes }) : bytes).toString(),
    }
  }

  async function answerTo(...given: Parameters<typeof request>): Promise<Answer> {
    for (let tries = 1; ; tries += 1) {
      const { status, text } = await request(...given)
      if (busy.has(status) && tries < mostTries) {
        await wait(firstPauseMs * 2 ** tries)
        continue
      }
      const parsed = answer.safeParse(status === 200 ? exactJson(text) : undefined).data
      if (parsed === undefined) throw httpFailure(status, source)
      hasAnswered = true
      return parsed
    }
  }

  /** The address of a part may name the coordinator differently; only its path is used, at the configured address. */
  const pathOf = (nextUri: string) => {
    const { pathname, search } = new URL(nextUri, source.url)
    return `${pathname}${search}`
  }

  return {
    begin: (statement) =>
      answerTo('POST', '/v1/statement', { body: statement }).catch((error: unknown) => {
        throw hasAnswered ? error : openingFailure(error, source)
      }),
    async next(nextUri, signal) {
      for (let tries = 1; ; tries += 1) {
        try {
          return await answerTo('GET', pathOf(nextUri), { signal })
        } catch (error) {
          // The same part can be asked for again.
          if (signal.aborted || tries === 3 || !isLostConnection(error)) throw error
        }
      }
    },
    async cancel(nextUri) {
      await request('DELETE', pathOf(nextUri), { signal: AbortSignal.timeout(5_000) }).catch(() => undefined)
    },
    close: () => agent.destroy(),
  }
}

const isLostConnection = (error: unknown) =>
  error instanceof Error && 'code' in error && /^(?:UND_ERR_SOCKET|ECONNRESET|EPIPE)$/.test(String(error.code))
