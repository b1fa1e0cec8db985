import { setTimeout as pause } from 'node:timers/promises'
import { gatewayOperations, type Permission } from '@assay/contracts'
import type { HttpAnswer } from '../assay-process.ts'
import { faultsOf, operationOf } from './checked-answer.ts'
import type { Pair, Target } from './target.ts'

export interface HttpClient {
  /**
   * Sends one request. A body that is a text is sent unchanged. Rejects if the table of operations does not document
   * the status or the shape of the answer. Waits as long as the rate limit requires.
   */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<HttpAnswer>
  /** The parsed body of a 200; rejects on any other status. */
  good(method: string, path: string, body?: unknown): Promise<HttpAnswer['json']>
  /** GETs until `isDone`; rejects after two minutes with the last answer. */
  until(path: string, isDone: (answer: HttpAnswer) => boolean): Promise<HttpAnswer>
  /** Retries until it does not throw; rejects after two minutes with the last error. */
  eventually<T>(attempt: () => Promise<T>): Promise<T>
  /** The same client with another key pair. */
  as(pair: Pair): HttpClient
  /** A new key in this key's tenant. */
  key(permissions: readonly Permission[]): Promise<Pair>
}

const waitMs = 120_000

/** The body. For a stream of events, which has no end, only its first part. */
async function textOf(response: Response): Promise<string> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response.text()
  const reader = response.body?.getReader()
  const first = await reader?.read()
  await reader?.cancel()
  return new TextDecoder().decode(first?.value)
}

async function send(url: string, init: RequestInit): Promise<HttpAnswer> {
  for (;;) {
    const response = await fetch(url, init)
    const text = await textOf(response)
    if (response.status === 429) {
      await pause(1000 * Number(response.headers.get('retry-after') ?? 1))
      continue
    }
    return {
      status: response.status,
      text,
      headers: response.headers,
      get json() {
        return JSON.parse(text)
      },
    }
  }
}

/** A client with the target administrator's pair. */
export function createClient({ baseUrl }: Pick<Target, 'baseUrl'>, pair: Pair): HttpClient {
  const client: HttpClient = {
    async call(method, path, body, headers = {}) {
      const text = typeof body === 'string' ? body : JSON.stringify(body)
      const answer = await send(`${baseUrl}${path}`, {
        method,
        headers: { ...pair, 'content-type': 'application/json', ...headers },
        ...(body === undefined ? {} : { body: text }),
      })
      const faults = faultsOf(operationOf(method, path), answer)
      if (faults.length > 0)
        throw new Error(
          `${method} ${path.slice(0, 300)} with ${text?.slice(0, 300)} -> ${answer.status}: ${faults.join('; ')}\n${answer.text.slice(0, 500)}`,
        )
      return answer
    },
    async good(method, path, body) {
      const answer = await client.call(method, path, body)
      if (answer.status !== 200) throw new Error(`${method} ${path} -> ${answer.status} ${answer.text}`)
      return answer.json
    },
    async until(path, isDone) {
      const end = performance.now() + waitMs
      for (;;) {
        const answer = await client.call('GET', path)
        if (isDone(answer)) return answer
        if (performance.now() > end) throw new Error(`Not done in time: GET ${path} -> ${answer.status} ${answer.text}`)
        await pause(25)
      }
    },
    async eventually(attempt) {
      const end = performance.now() + waitMs
      for (;;) {
        try {
          return await attempt()
        } catch (error) {
          if (performance.now() > end) throw error
          await pause(50)
        }
      }
    },
    as: (other) => createClient({ baseUrl }, other),
    async key(permissions) {
      const request = { displayName: 'a key of the HTTP suite', validTill: '2099-01-01', permissions }
      const { accessKey, secretKey } = await client.good('POST', gatewayOperations.createApiKey.path, request)
      return { accessKey, secretKey }
    },
  }
  return client
}
