import { createServer, type IncomingHttpHeaders } from 'node:http'
import { gzipSync } from 'node:zlib'

/** What the server answers to a request; `undefined`: nothing, until the client ends the request. */
export type Answer = { status?: number; body?: unknown } | 'bytes without end' | undefined

export interface StatementServer {
  /** With the user `assay`. */
  url: string
  /** Method and address of each request. */
  requests: string[]
  headers: IncomingHttpHeaders[]
  stop(): void
}

/**
 * Starts a server that answers as the test says. `address`: a name of the coordinator that nobody can reach, as behind a
 * proxy.
 */
export async function startStatementServer(
  answerTo: (request: string, text: string, address: string) => Answer,
): Promise<StatementServer> {
  const requests: string[] = []
  const headers: IncomingHttpHeaders[] = []
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(Buffer.from(part))
    const name = `${request.method} ${request.url}`
    requests.push(name)
    headers.push(request.headers)
    const answer = answerTo(name, Buffer.concat(parts).toString(), `http://coordinator.internal:${port}`)
    if (answer === undefined) return
    if (answer === 'bytes without end') {
      const writing = setInterval(() => response.write(' '), 20)
      response.on('close', () => clearInterval(writing))
      return
    }
    const { status = 200, body = '' } = answer
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    // Some proxies unpack answers.
    const isPacked = requests.length % 2 === 1
    response.writeHead(status, isPacked ? { 'content-encoding': 'gzip' } : {}).end(isPacked ? gzipSync(text) : text)
  })
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : 0)
    })
  })
  return {
    url: `http://assay@127.0.0.1:${port}`,
    requests,
    headers,
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}
