import { createServer, type RequestListener } from 'node:http'
import { AssayError, messageOf } from '../errors.ts'

export interface Listening {
  port: number
  /** Takes no new connections, lets requests under way end, closes idle connections. */
  close(): Promise<void>
}

/** Serves an app. Limits against slow and idle clients are set here. Rejects `unavailable` when the address is taken. */
export function listen(app: RequestListener, options: { host: string; port: number }): Promise<Listening> {
  const server = createServer(
    { headersTimeout: 10_000, requestTimeout: 30_000, keepAliveTimeout: 65_000, maxHeaderSize: 16_384 },
    app,
  )
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
            server.closeIdleConnections()
          }),
      })
    })
  })
}
