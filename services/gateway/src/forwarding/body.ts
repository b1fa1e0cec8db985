import type { IncomingMessage } from 'node:http'
import { Transform } from 'node:stream'
import type { Operation } from '@assay/contracts'
import { AssayError } from '@assay/service-kit/errors'

/** Maximum size of a body in bytes. The services have the same limit. */
export const maxBodyBytes = 1_048_576

const tooLarge = () => new AssayError('too-large', 'The body is larger than 1 MiB. Send less at once.')

/**
 * The request body as a stream; `null` if there is none or the operation takes none. Ends with `too-large` after the
 * first MiB, or throws it immediately if the request states its length. A separate stream, because a failure downstream
 * must not close the caller's connection.
 */
export function bodyOf(request: IncomingMessage, operation: Operation): Transform | null {
  if (operation.body === undefined) return null
  const length = request.headers['content-length']
  if (length === '0' || (length === undefined && request.headers['transfer-encoding'] === undefined)) return null
  if (Number(length ?? 0) > maxBodyBytes) throw tooLarge()
  let bytes = 0
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length
      done(bytes > maxBodyBytes ? tooLarge() : null, chunk)
    },
  })
  // The reader of the body reports the error.
  counted.on('error', () => undefined)
  // Discards the unread rest, because the caller's next request follows on the same connection.
  counted.once('close', () => {
    request.unpipe(counted)
    request.resume()
  })
  return request.pipe(counted)
}
