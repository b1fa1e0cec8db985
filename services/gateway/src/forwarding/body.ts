import type { IncomingMessage } from 'node:http'
import { Transform } from 'node:stream'
import type { Operation } from '@assay/contracts'
import { AssayError } from '@assay/service-kit/errors'

/** The limit of a body that services set too. */
export const maxBodyBytes = 1_048_576

const tooLarge = () => new AssayError('too-large', 'The body is larger than 1 MiB. Send less at once.')

/**
 * The bytes that go along, as they come; `null` when there are none or the operation wants none. Ends with `too-large`
 * behind the first MiB; throws it at once where the request says its length. A stream of its own, because what fails
 * behind it must not end the caller's connection.
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
  // What went wrong is reported by the reader of the body.
  counted.on('error', () => undefined)
  // What nobody reads any more has to be taken off the connection: the caller's next request stands behind it.
  counted.once('close', () => {
    request.unpipe(counted)
    request.resume()
  })
  return request.pipe(counted)
}
