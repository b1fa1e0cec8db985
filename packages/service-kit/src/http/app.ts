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

/** As proxies count a request whose caller left before it was answered: it was no success, and no failure of ours. */
const callerLeft = 499
/** Of the table of operations. */
const routes = new Map(operations.map(({ id, path }) => [id, path]))
const saneRequestId = /^[A-Za-z0-9._-]{1,100}$/

/** What watches a process may ask in plain HTTP/1.0, which knows no Host. */
const watched: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics'])

/** Two of them are two requests to whoever reads the other one: proxies and caches in front of this process. */
function requireOneHost({ rawHeaders, url = '/' }: IncomingMessage): void {
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host')
  if (hosts.length === 1 || (hosts.length === 0 && watched.has(targetOf(url).path))) return
  throw new AssayError('invalid', 'A request must have exactly one Host header.')
}

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
    // No answer is to be taken for another type than it says.
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
        response.headersSent ? response.statusCode : callerLeft,
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
