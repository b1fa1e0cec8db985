import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { operations } from '@assay/contracts'
import express, { type Express } from 'express'
import type { NewId } from '../ambient.ts'
import { AssayError } from '../errors.ts'
import type { Logger } from '../logger.ts'
import type { Metrics } from '../metrics.ts'
import { beginWork } from '../telemetry/trace.ts'
import { createAnswered } from './answered.ts'
import { errorMapper, requestIdOf, sendError } from './errors.ts'
import { operationName } from './operation-name.ts'
import { type Target, targetOf } from './target.ts'

/**
 * The status by which proxies count requests whose caller disconnected before the answer: neither a success nor a
 * failure of this process.
 */
const callerDisconnected = 499
/** Path templates by operation id. */
const routes = new Map(operations.map(({ id, path }) => [id, path]))
const saneRequestId = /^[A-Za-z0-9._-]{1,100}$/

/** Probes may use plain HTTP/1.0, which has no Host header. */
const watched: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics'])

/** If there were two Host headers, a proxy or cache in front could read the request differently from this process. */
function requireOneHost({ rawHeaders, url = '/' }: IncomingMessage): void {
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host')
  if (hosts.length === 1 || (hosts.length === 0 && watched.has(targetOf(url).path))) return
  throw new AssayError('invalid', 'A request must have exactly one Host header.')
}

/**
 * Serves the operations of the table. Returns `undefined` if the request matches none. If an error occurs before the
 * answer has begun, the error is sent as the answer.
 */
export type Dispatch = (target: Target, request: IncomingMessage, response: ServerResponse) => Promise<void> | undefined

/** Express serves requests that match no operation. It answers 404 for unknown paths. */
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
        : new AssayError('not-found', 'No operation has this path. /docs lists all operations.'),
    )
  })
  app.use(errorMapper(logger))
  return app
}

/**
 * The HTTP app of all processes. It adds request ids, a span per request, metrics, and minimal headers. `dispatch`
 * serves operations without a framework. `configure` mounts other endpoints. Anything else gets 404. Every error is
 * answered with the same envelope.
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
      requireOneHost(request)
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
    // Browsers must not guess another content type.
    response.setHeader('x-content-type-options', 'nosniff')
    const method = request.method ?? 'GET'
    const { traceparent, tracestate } = request.headers
    const work = beginWork(method, {
      kind: 'server',
      from: {
        traceparent: typeof traceparent === 'string' ? traceparent : undefined,
        tracestate: typeof tracestate === 'string' ? tracestate : undefined,
      },
      attributes: () => ({
        'http.request.method': method,
        'url.scheme': 'http',
        'url.path': targetOf(request.url ?? '/').path,
        'network.protocol.version': request.httpVersion,
      }),
    })
    const began = performance.now()
    response.on('close', () => {
      const operation = operationName(response)
      countAnswered(
        operation,
        response.headersSent ? response.statusCode : callerDisconnected,
        (performance.now() - began) / 1000,
      )
      const route = routes.get(operation)
      work.describe(route === undefined ? method : `${method} ${route}`, () => ({
        ...(route === undefined ? {} : { 'http.route': route, 'assay.operation': operation }),
        'http.response.status_code': response.statusCode,
        'assay.request_id': requestIdOf(response),
      }))
      work.end(response.statusCode >= 500 ? `It was answered with ${response.statusCode}.` : undefined)
    })
    work.within(() => serve(request, response))
  }
}
