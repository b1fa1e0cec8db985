import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'

/** Requests that the HTTP parser refuses: for each code, the status and the sentence. All other codes get 400. */
const known: Readonly<Record<string, [status: number, message: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'The head of the request (its path, query and headers) is larger than 64 KiB. Send less.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request took too long to arrive.'],
}
const malformed: [status: number, message: string] = [400, 'The request is not valid HTTP (RFC 9112).']

/**
 * Answers requests that the HTTP parser could not read, with the common envelope. Then ends the connection, because the
 * start of the next request is unknown. Use it for the server event `clientError`.
 */
export function refuseUnread(error: Error, socket: Duplex): void {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  // The caller has disconnected.
  if (code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const [status, message] = known[code] ?? malformed
  const body = JSON.stringify({ errors: [{ message, status }] })
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
      'content-type: application/json; charset=utf-8',
      `content-length: ${Buffer.byteLength(body)}`,
      'connection: close',
      '',
      body,
    ].join('\r\n'),
  )
}
