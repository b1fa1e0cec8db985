import { isUtf8 } from 'node:buffer'
import type { IncomingMessage, ServerResponse } from 'node:http'
import express from 'express'
import { AssayError } from '../errors.ts'
import { assertShallow } from './depth.ts'
import { assertFinite } from './finite.ts'

/** Throws `invalid` for bytes that are not UTF-8, because decoding would replace them by U+FFFD. */
function assertReadable(bytes: Uint8Array, encoding: string): void {
  if (encoding !== 'utf-8' || !isUtf8(bytes))
    throw new AssayError('invalid', 'The body is not UTF-8. Send it as UTF-8.')
  assertShallow(bytes)
  assertFinite(bytes)
}

const readJson = express.json({
  limit: 1_048_576,
  strict: false,
  type: () => true,
  verify: (_request, _response, bytes, encoding) => assertReadable(bytes, encoding),
})

/** The body; `undefined` if it is empty. Rejects with the parser's errors, which `./errors.ts` translates. */
export function jsonBody(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
  // Existing clients send a JSON content type with an empty body.
  if (request.headers['content-length'] === '0') return Promise.resolve(undefined)
  return new Promise((resolve, reject) => {
    readJson(request, response, (error?: unknown) =>
      error ? reject(error) : resolve('body' in request ? request.body : undefined),
    )
  })
}
