import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'

/** A request that a receiver got. */
export interface Received {
  path: string
  headers: Record<string, string>
  body: string
}

export type Answering = (response: ServerResponse, received: Received, request: IncomingMessage) => void

/** An HTTP server on a free port of 127.0.0.1 that receives messages. `answer` determines its answers; default 204. */
export async function openReceiver(of: { answer?: Answering; tls?: { key: string; cert: string } } = {}) {
  const received: Received[] = []
  const waiting: (() => void)[] = []
  const receiver = { answer: of.answer ?? ((response: ServerResponse) => void response.writeHead(204).end()) }

  const listener: RequestListener = (request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, `${value}`]))
      const one = { path: request.url ?? '', headers, body: Buffer.concat(parts).toString('utf8') }
      received.push(one)
      receiver.answer(response, one, request)
      for (const wake of waiting.splice(0)) wake()
    })
  }
  const server = of.tls === undefined ? createServer(listener) : createTlsServer(of.tls, listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo

  return {
    url: `${of.tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}/hook`,
    port,
    received,
    /** Changes the answers. */
    setAnswer(answer: Answering) {
      receiver.answer = answer
    },
    /** Resolves when `count` requests have arrived in total. */
    async until(count: number) {
      while (received.length < count) await new Promise<void>((resolve) => waiting.push(resolve))
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
export type Receiver = Awaited<ReturnType<typeof openReceiver>>
