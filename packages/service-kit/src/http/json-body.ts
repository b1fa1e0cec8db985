import type { IncomingMessage, ServerResponse } from 'node:http'
import express from 'express'
import { assertShallow } from './depth.ts'

const readJson = express.json({
  limit: 1_048_576,
  strict: false,
  type: () => true,
  verify: (_request, _response, bytes) => assertShallow(bytes),
})

/** The body, `undefined` when it is empty. Rejects with what the parser throws (`./errors.ts` knows it). */
export function jsonBody(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
  // Existing clients send a JSON content type with nothing behind it.
  if (request.headers['content-length'] === '0') return Promise.resolve(undefined)
  return new Promise((resolve, reject) => {
    readJson(request, response, (error?: unknown) =>
      error ? reject(error) : resolve('body' in request ? request.body : undefined),
    )
  })
}
