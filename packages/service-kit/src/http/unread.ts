import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'

/** What the HTTP parser refuses by itself: the status and the sentence. What is not listed is 400. */
const known: Readonly<Record<string, [status: number, message: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'The head of the request (its path, query and headers) is larger than 64 KiB. Send less.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request took too long to arrive.'],
}
const malformed: [status: number, message: string] = [400, 'The request is not HTTP as RFC 9112 has it.']

/**
 * Answers what the HTTP parser could not read, with the envelope of all errors, and ends the connection: where the next
 * request begins is not known any more. For the event `clientError` of a server.
 */
export function refuseUnread(error: Error, socket: Duplex): void {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  // Whoever has left is told nothing.
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
