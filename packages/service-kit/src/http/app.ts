import express, { type Express } from 'express'
import type { NewId } from '../ambient.ts'
import { AssayError } from '../errors.ts'
import type { Logger } from '../logger.ts'
import type { Metrics } from '../metrics.ts'
import { beginSpan } from '../telemetry/trace.ts'
import { errorMapper } from './errors.ts'

const saneRequestId = /^[A-Za-z0-9._-]{1,100}$/

/**
 * The HTTP app that all processes share: request ids, the span of each request, metrics, no needless headers; `configure` mounts what the process
 * serves; what nothing answered is 404, what was thrown goes through the one error mapper.
 */
export function createHttpApp(deps: {
  logger: Logger
  newId: NewId
  metrics: Metrics
  configure(app: Express): void
}): Express {
  const { logger, newId, metrics } = deps
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.set('case sensitive routing', true)
  app.use((request, response, next) => {
    const given = request.headers['x-request-id']
    response.locals.requestId = typeof given === 'string' && saneRequestId.test(given) ? given : newId()
    response.setHeader('x-request-id', String(response.locals.requestId))
    const parent = request.headers.traceparent
    const { span, within } = beginSpan(request.method, 'server', typeof parent === 'string' ? parent : undefined)
    // Whoever is called on behalf of this request, and every event of it, stands behind this span.
    request.headers.traceparent = span.traceparent
    const began = performance.now()
    response.once('close', () => {
      const operation = String(response.locals.operation ?? 'none')
      metrics.count('assay_http_requests_total', { operation, status: String(response.statusCode) })
      metrics.observe('assay_http_request_seconds', { operation }, (performance.now() - began) / 1000)
      span.name(`${request.method} ${operation}`)
      span.end(response.statusCode >= 500 ? `It was answered with ${response.statusCode}.` : undefined)
    })
    within(next)
  })
  deps.configure(app)
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
