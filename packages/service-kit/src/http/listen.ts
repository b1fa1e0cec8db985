import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import { AssayError, messageOf } from '../errors.ts'
import { createFastSet } from './fast-set.ts'
import { stoppingEvent } from './served-call.ts'
import { closeStalled, isEventStream } from './stalled.ts'
import { refuseUnread } from './unread.ts'

export interface Listening {
  port: number
  /**
   * Accepts no new connections, ends streams of events, and lets other requests finish, each with `Connection: close`.
   * During `lingerMs` (default 0), a kept-alive connection may send one more request, so that a client that is just
   * sending one gets an answer instead of a reset. Afterwards idle connections are closed, and those that were never used.
   */
  close(options?: { lingerMs?: number }): Promise<void>
}

/** Serves an app, with limits against slow and idle clients. Rejects with `unavailable` if the address is taken. */
export function listen(app: RequestListener, options: { host: string; port: number }): Promise<Listening> {
  const server = createServer(
    // Each text in a query can be up to 24 KB long when percent-encoded.
    {
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      keepAliveTimeout: 65_000,
      maxHeaderSize: 65_536,
      // The app itself refuses a request without Host, so that the answer has the envelope.
      requireHostHeader: false,
    },
    app,
  )
  const inProgress = createFastSet<ServerResponse>()
  const connected = createFastSet<Socket>()
  server.on('connection', (socket) => {
    connected.add(socket)
    socket.once('close', () => connected.delete(socket))
  })
  let isClosing = false
  server.prependListener('request', (_request, response: ServerResponse) => {
    inProgress.add(response)
    if (isClosing) response.setHeader('connection', 'close')
    // Piping a stream adds several listeners.
    response.setMaxListeners(20)
    response.on('close', () => inProgress.delete(response))
  })
  server.on('clientError', (error, socket) => {
    // Headers can no longer be added to an answer that has begun.
    const hasBegun = inProgress.all().some((response) => response.socket === socket && response.headersSent)
    if (hasBegun) socket.destroy()
    else refuseUnread(error, socket)
  })
  const stopLooking = closeStalled(inProgress)
  /** Ends event streams, which would otherwise never end. */
  function endEvents(): void {
    for (const response of inProgress.all()) if (isEventStream(response)) response.end(() => response.socket?.end())
  }
  /** Closes each connection after its answer in progress. */
  function endConnections(): void {
    for (const response of inProgress.all()) {
      const { socket } = response
      if (!response.headersSent) response.setHeader('connection', 'close')
      else response.once('finish', () => socket?.end())
    }
  }
  function closeUnused(): void {
    server.closeIdleConnections()
    // A browser opens connections in advance. For Node they are not idle, so it would wait 30 s for their first request.
    for (const socket of connected.all()) if (socket.bytesRead === 0) socket.destroy()
  }
  function close(lingerMs: number): Promise<void> {
    isClosing = true
    return new Promise((closed) => {
      // `close` of http.Server would close all idle connections at once, even if a request is just arriving.
      NetServer.prototype.close.call(server, () => {
        clearTimeout(lingering)
        stopLooking()
        closed()
      })
      const lingering = setTimeout(closeUnused, lingerMs)
      endEvents()
      endConnections()
      for (const response of inProgress.all()) response.emit(stoppingEvent)
    })
  }
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      const advice =
        'code' in error && error.code === 'EADDRINUSE' ? 'Set PORT to another one.' : 'Check host and port.'
      const message = `Cannot listen on port ${options.port} of ${options.host}: ${messageOf(error)}. ${advice}`
      reject(new AssayError('unavailable', message, { cause: error }))
    })
    server.listen(options.port, options.host, () => {
      const address = server.address()
      resolve({
        port: typeof address === 'object' && address ? address.port : options.port,
        close: ({ lingerMs = 0 } = {}) => close(lingerMs),
      })
    })
  })
}
