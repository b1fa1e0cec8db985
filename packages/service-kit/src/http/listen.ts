import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import { AssayError, messageOf } from '../errors.ts'
import { createUnderWay } from './under-way.ts'
import { refuseUnread } from './unread.ts'

export interface Listening {
  port: number
  /** Takes no new connections, ends streams of events, lets other requests under way end, closes idle connections. */
  close(): Promise<void>
}

/** Serves an app. Limits against slow and idle clients are set here. Rejects `unavailable` when the address is taken. */
export function listen(app: RequestListener, options: { host: string; port: number }): Promise<Listening> {
  const server = createServer(
    // A text of the longest that a query takes is 24 KB when each of its characters is percent-encoded.
    { headersTimeout: 10_000, requestTimeout: 30_000, keepAliveTimeout: 65_000, maxHeaderSize: 65_536 },
    app,
  )
  const underWay = createUnderWay<ServerResponse>()
  server.on('request', (_request, response: ServerResponse) => {
    underWay.add(response)
    // Whoever streams listens with several more of its own.
    response.setMaxListeners(20)
    response.on('close', () => underWay.delete(response))
  })
  server.on('clientError', (error, socket) => {
    // An answer that has begun must not go on as another one.
    const hasBegun = underWay.all().some((response) => response.socket === socket && response.headersSent)
    if (hasBegun) socket.destroy()
    else refuseUnread(error, socket)
  })
  /** They would never end by themselves. */
  function endEvents(): void {
    for (const response of underWay.all())
      if (String(response.getHeader('content-type')).startsWith('text/event-stream'))
        response.end(() => response.socket?.end())
  }
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      const advice =
        'code' in error && error.code === 'EADDRINUSE' ? 'Set PORT to another one.' : 'Check host and port.'
      const message = `Port ${options.port} on ${options.host} cannot be listened on: ${messageOf(error)}. ${advice}`
      reject(new AssayError('unavailable', message, { cause: error }))
    })
    server.listen(options.port, options.host, () => {
      const address = server.address()
      resolve({
        port: typeof address === 'object' && address ? address.port : options.port,
        close: () =>
          new Promise((closed) => {
            server.close(() => closed())
            endEvents()
            server.closeIdleConnections()
          }),
      })
    })
  })
}
