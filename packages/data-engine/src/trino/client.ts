import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { Agent, type Dispatcher } from 'undici'
import { z } from 'zod'
import type { Target } from '../databases/reach.ts'
import type { TrinoSource } from '../dataset.ts'
import { exactJson } from './exact-json.ts'
import { httpFailure, openingFailure, tooLong } from './failures.ts'

const unpacked = promisify(gunzip)
/** Parts are asked for with about this length, because parsing a longer one would block the process. */
const partSize = '1MB'
/** Maximum length of a part, packed or not: a single row may be longer than `partSize`. */
const mostBytes = 32 * 2 ** 20
/** Time limit of a request with its whole answer; the server answers within a second or two. */
const answerTimeoutMs = 60_000
const mostTries = 6
const firstPauseMs = 50
/**
 * The coordinator, or a proxy before it, is busy or restarts, and the protocol demands another try. If the proxy lost the
 * answer, the statement runs twice; statements only read.
 */
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
  nextUri: z
    .string()
    .refine((text) => URL.canParse(text))
    .optional(),
  columns: z.array(z.object({ name: z.string(), type: z.string() })).optional(),
  data: z.array(z.array(z.unknown())).optional(),
  error: errorOf.optional(),
})
export type Answer = z.infer<typeof answer>

/** A table or view that a statement reads, directly or through views. */
const reference = z.object({ catalog: z.string(), schema: z.string(), table: z.string() })
export type Reference = z.infer<typeof reference>
const queryInfo = z.object({ referencedTables: z.array(reference) })

/** Requests of the statement protocol. Throws `unprocessable` with the reason if the server cannot be reached. */
export interface TrinoClient {
  /** Hands a statement over. If `signal` aborts before the answer, the statement cannot be cancelled. */
  begin(statement: string, signal: AbortSignal): Promise<Answer>
  /** Waits up to a second for the next part of an answer. `nextUri`: of the part before. */
  next(nextUri: string, signal: AbortSignal): Promise<Answer>
  /** The tables and views that a statement reads, by its analysis; of a statement that has ended, for some minutes. */
  references(queryId: string, signal: AbortSignal): Promise<Reference[]>
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
    maxResponseSize: mostBytes,
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

  async function request(
    method: 'POST' | 'GET' | 'DELETE',
    path: string,
    { signal: given, ...more }: Pick<Dispatcher.RequestOptions, 'body'> & { signal: AbortSignal },
  ) {
    const limits = hasAnswered ? {} : { headersTimeout: source.connectTimeoutSeconds * 1000 }
    // The time limits of the agent are for pauses: a server that sends a byte now and then would never reach them.
    const signal = AbortSignal.any([given, AbortSignal.timeout(answerTimeoutMs)])
    try {
      const answered = await agent.request({ origin: source.url, method, path, headers, signal, ...limits, ...more })
      const bytes = Buffer.from(await answered.body.arrayBuffer())
      const isPacked = answered.headers['content-encoding'] === 'gzip'
      const text = isPacked ? await unpacked(bytes, { maxOutputLength: mostBytes }) : bytes
      return { status: answered.statusCode, text: text.toString() }
    } catch (error) {
      throw isTooLong(error) ? tooLong(error) : error
    }
  }

  async function answerTo(...given: Parameters<typeof request>): Promise<Answer> {
    for (let tries = 1; ; tries += 1) {
      const { status, text } = await request(...given)
      if (busy.has(status) && tries < mostTries) {
        await wait(firstPauseMs * 2 ** tries, undefined, { signal: given[2].signal })
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
    const { pathname, search } = new URL(nextUri)
    return `${pathname}${search}`
  }
  const partOf = (nextUri: string) => {
    const path = pathOf(nextUri)
    return `${path}${path.includes('?') ? '&' : '?'}targetResultSize=${partSize}`
  }

  return {
    begin: (statement, signal) =>
      answerTo('POST', '/v1/statement', { body: statement, signal }).catch((error: unknown) => {
        throw hasAnswered ? error : openingFailure(error, source)
      }),
    async next(nextUri, signal) {
      for (let tries = 1; ; tries += 1) {
        try {
          return await answerTo('GET', partOf(nextUri), { signal })
        } catch (error) {
          // The same part can be asked for again.
          if (signal.aborted || tries === 3 || !isLostConnection(error)) throw error
        }
      }
    },
    async references(queryId, signal) {
      const path = `/v1/query/${encodeURIComponent(queryId)}?pruned=true`
      const { status, text } = await request('GET', path, { signal })
      const parsed = queryInfo.safeParse(status === 200 ? JSON.parse(text) : undefined).data
      if (parsed === undefined) throw httpFailure(status, source)
      return parsed.referencedTables
    },
    async cancel(nextUri) {
      await request('DELETE', pathOf(nextUri), { signal: AbortSignal.timeout(5_000) }).catch(() => undefined)
    },
    close: () => agent.destroy(),
  }
}

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? String(error.code) : '')
const isLostConnection = (error: unknown) => /^(?:UND_ERR_SOCKET|ECONNRESET|EPIPE)$/.test(codeOf(error))
const isTooLong = (error: unknown) => /^(?:UND_ERR_RES_EXCEEDED_MAX_SIZE|ERR_BUFFER_TOO_LARGE)$/.test(codeOf(error))
