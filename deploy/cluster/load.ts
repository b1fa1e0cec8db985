import { Agent, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'

/** The number of requests, the failed ones, and the longest time without a success. */
export const seenShape = z.object({ asked: z.number(), failed: z.array(z.string()), longestMs: z.number() })
export type Seen = z.output<typeof seenShape>

export interface Load {
  /** The requests since the last call. */
  since(): Seen
  stop(): Promise<void>
}

interface Asked {
  at: number
  failure: string | undefined
}

/** Sends five requests per second: reads and writes alternately, on kept and on new connections. */
export function startLoad(
  base: string,
  headers: Readonly<Record<string, string>>,
  paths: { read: string; write: string; body: (count: number) => unknown },
): Load {
  const kept = new Agent({ keepAlive: true, maxSockets: 2 })
  const asked: Asked[] = []
  let begin = 0
  let isOver = false

  function ask(count: number): Promise<void> {
    const at = Date.now()
    const isWrite = count % 2 === 1
    const body = isWrite ? JSON.stringify(paths.body(count)) : undefined
    return new Promise((resolve) => {
      const done = (failure: string | undefined) => {
        const what = `${new Date(at).toISOString()} ${isWrite ? 'write' : 'read'}`
        asked.push({ at, failure: failure && `${what} ${failure}` })
        resolve()
      }
      const sent = request(base + (isWrite ? paths.write : paths.read), {
        method: isWrite ? 'PUT' : 'GET',
        agent: count % 4 < 2 ? kept : false,
        headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
        timeout: 10_000,
      })
      sent.once('response', (answer) => {
        let body = ''
        answer.setEncoding('utf8').on('data', (text: string) => (body += text.slice(0, 300)))
        const { statusCode = 0 } = answer
        answer.once('end', () => done(statusCode < 400 ? undefined : `got ${statusCode} ${body.slice(0, 300)}`))
        answer.once('error', (error) => done(error.message))
      })
      sent.once('timeout', () => sent.destroy(new Error('had no answer for 10 s')))
      sent.once('error', (error) => done('code' in error ? String(error.code) : error.message))
      sent.end(body)
    })
  }

  const running = (async () => {
    const open: Promise<void>[] = []
    for (let count = 0; !isOver; count++) {
      open.push(ask(count))
      await delay(200)
    }
    await Promise.all(open)
  })()

  return {
    since() {
      const part = asked.slice(begin).toSorted((a, b) => a.at - b.at)
      begin = asked.length
      let [longestMs, from] = [0, 0]
      for (const { at, failure } of part) {
        if (failure === undefined) from = 0
        else {
          from ||= at
          longestMs = Math.max(longestMs, at - from)
        }
      }
      return { asked: part.length, failed: part.flatMap(({ failure }) => failure ?? []), longestMs }
    },
    async stop() {
      isOver = true
      await running
      kept.destroy()
    },
  }
}
