import type { ServerResponse } from 'node:http'
import { unauthorisedBody } from '@assay/contracts'
import type { ErrorRequestHandler } from 'express'
import { AssayError, isAssayError, isTransient, messageOf, statusOfCode } from '../errors.ts'
import type { Logger } from '../logger.ts'

/** The position at which JSON ends early or is invalid, if the parser reports it. */
function brokenJson(parserMessage: string): string {
  const at = /at position (\d+)(?: \(line (\d+) column (\d+)\))?/.exec(parserMessage)
  if (at === null)
    return /end of JSON|unterminated/i.test(parserMessage)
      ? 'The body is not JSON: it is incomplete.'
      : 'The body is not JSON. Check quotes, commas and brackets.'
  const [, position, line, column] = at
  return `The body is not JSON: it is invalid at ${line === undefined ? `character ${Number(position) + 1}` : `line ${line}, column ${column}`}.`
}

/** Errors of express and its body parser: they have a `type` and a `status`. */
function fromExpress(error: unknown): AssayError | undefined {
  if (error instanceof URIError) return new AssayError('invalid', 'The path has an invalid percent-encoding.')
  if (!(error instanceof Error) || !('status' in error)) return undefined
  if ('type' in error && error.type === 'entity.verify.failed') return new AssayError('invalid', error.message)
  if ('type' in error && error.type === 'entity.parse.failed')
    return new AssayError('invalid', brokenJson(error.message))
  if (error.status === 413) return new AssayError('too-large', 'The body is larger than 1 MiB. Send less at once.')
  if (error.status === 415)
    return new AssayError('invalid', 'The body has an unknown encoding or character set. Send UTF-8.')
  if (typeof error.status === 'number' && error.status < 500)
    return new AssayError('invalid', 'The body of the request is malformed or incomplete. Send it again.')
  return undefined
}

/** The request id, which every answer has in a header. */
export function requestIdOf(response: ServerResponse): string {
  return String(response.getHeader('x-request-id'))
}

/**
 * Sends an error in the envelope. For errors other than an AssayError, the code is `internal`: all details are in the
 * log, and the answer has one sentence.
 */
export function sendError(response: ServerResponse, thrown: unknown, logger?: Logger): void {
  const error = isAssayError(thrown) ? thrown : fromExpress(thrown)
  const status = error ? statusOfCode[error.code] : 500
  if (status >= 500 && status !== 501) {
    // The stack of a transient error would not help, because the cause is not in the code.
    const reason = isTransient(thrown) ? messageOf(thrown) : thrown
    logger?.error({ error: reason, requestId: requestIdOf(response) }, 'a request failed')
  }
  if (response.headersSent) {
    response.destroy()
    return
  }
  response.statusCode = status
  response.setHeader('content-type', 'application/json; charset=utf-8')
  if ((status === 429 || status === 503) && !response.hasHeader('retry-after'))
    response.setHeader('retry-after', error?.retryAfterSeconds ?? 1)
  if (status === 401) {
    response.end(unauthorisedBody)
    return
  }
  const message =
    error?.message ?? `Something went wrong inside Assay. See the log for request ${requestIdOf(response)}.`
  response.end(
    JSON.stringify({ errors: [{ message, status, ...(error?.details == null ? {} : { details: error.details }) }] }),
  )
}

/** The one error mapper. */
export function errorMapper(logger: Logger): ErrorRequestHandler {
  return (error, _request, response, _next) => sendError(response, error, logger)
}
