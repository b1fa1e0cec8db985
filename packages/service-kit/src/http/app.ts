import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import express, { type Express } from 'express'
import type { NewId } from '../ambient.ts'
import { AssayError } from '../errors.ts'
import type { Logger } from '../logger.ts'
import type { Metrics } from '../metrics.ts'
import { beginSpan } from '../telemetry/trace.ts'
import { createAnswered } from './answered.ts'
import { errorMapper, sendError } from './errors.ts'
import { operationName } from './operation-name.ts'
import { type Target, targetOf } from './target.ts'

/** As proxies count a request whose caller left before it was answered: it was no success, and no failure of ours. */
const callerLeft = 499
const saneRequestId = /^[A-Za-z0-9._-]{1,100}$/

/**
 * Serves what is in the table of operations. `undefined`: the request is of no operation. What it throws, or rejects with
 * before the answer began, becomes the answer.
 */
export type Dispatch = (target: Target, request: IncomingMessage, response: ServerResponse) => Promise<void> | undefined

/** What is no operation goes through express; what is not known there either is 404. */
function restOf(configure: ((app: Express) => void) | undefined, logger: Logger): Express {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.set('case sensitive routing', true)
  configure?.(app)
  app.use((request, _response, next) => {
    next(
      request.path.includes('//')
        ? new AssayError('invalid', 'The path has an empty segment where an id or a name belongs.')
        : new AssayError('not-found', 'There is nothing at this path. /docs lists what there is.'),
    )
  })
  app.use(errorMapper(logger))
  return app
}

/**
 * The HTTP app that all processes share: request ids, the span of each request, metrics, no needless headers. `dispatch`
 * serves operations, without a framework in between; `configure` mounts what else the process serves; what nothing
 * answered is 404, what was thrown becomes the one envelope.
 */
export function createHttpApp(deps: {
  logger: Logger
  newId: NewId
  metrics: Metrics
  dispatch?: Dispatch
  configure?: (app: Express) => void
}): RequestListener {
  const { logger, newId, metrics, dispatch } = deps
  const rest = restOf(deps.configure, logger)
  const countAnswered = createAnswered(metrics)

  function serve(request: IncomingMessage, response: ServerResponse): void {
    try {
      const served = dispatch?.(targetOf(request.url ?? '/'), request, response)
      if (served === undefined) rest(request, response)
      else served.catch((error: unknown) => sendError(response, error, logger))
    } catch (error) {
      sendError(response, error, logger)
    }
  }

  return (request, response) => {
    const given = request.headers['x-request-id']
    response.setHeader('x-request-id', typeof given === 'string' && saneRequestId.test(given) ? given : newId())
    const parent = request.headers.traceparent
    const method = request.method ?? 'GET'
    const { span, within } = beginSpan(method, 'server', typeof parent === 'string' ? parent : undefined)
    // Whoever is called on behalf of this request, and every event of it, stands behind this span.
    request.headers.traceparent = span.traceparent
    const began = performance.now()
    response.on('close', () => {
      const operation = operationName(response)
      countAnswered(
        operation,
        response.headersSent ? response.statusCode : callerLeft,
        (performance.now() - began) / 1000,
      )
      span.name(`${method} ${operation}`)
      span.end(response.statusCode >= 500 ? `It was answered with ${response.statusCode}.` : undefined)
    })
    within(() => serve(request, response))
  }
}
