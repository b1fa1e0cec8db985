import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { Operation, ServiceName } from '@assay/contracts'
import {
  beginWork,
  type Clock,
  currentTrace,
  type Identity,
  type Logger,
  type Metrics,
  type Outages,
  parametersOf,
  parsePositions,
  positionHeader,
  recordsSpans,
  requestIdOf,
  targetOf,
  writtenHeader,
} from '@assay/service-kit'
import { AssayError, isAssayError } from '@assay/service-kit/errors'
import { type Dispatcher, Pool } from 'undici'
import type { AnsweredPositions, SeenStates } from '../http/answered-positions.ts'
import { senderOf } from '../http/client-of.ts'
import { bodyOf } from './body.ts'
import { createCircuit } from './circuit.ts'
import { type Exchange, exchange } from './exchange.ts'
import { failureOf, isBroken } from './failures.ts'
import { answerHeaders, requestHeaders } from './headers.ts'

/** Where the positions in answers are remembered, so that later requests of the key read their writes. */
export interface Remembered {
  positions: SeenStates
  writes: AnsweredPositions
}

/**
 * Forwards an admitted request to the service that owns the operation, and passes its answer back. Rejects if it fails
 * before the answer began.
 */
export type Forward = (
  operation: Operation,
  identity: Identity,
  request: IncomingMessage,
  response: ServerResponse,
  remembered: Remembered,
) => Promise<void>

export interface Upstream {
  forward: Forward
  /** Waits for the requests in flight. */
  close(): Promise<void>
}

export interface UpstreamOptions {
  service: ServiceName
  /** `http://host:port`. */
  url: string
  /** Maximum time until the answer begins and between two parts of it, in milliseconds. */
  deadlineMs: number
  /** Maximum time to connect, in milliseconds. */
  connectMs: number
  /** Maximum requests in flight; more are refused with 503. */
  maxInFlight: number
  logger: Logger
  metrics: Metrics
  outages: Outages
  clock: Clock
}

/** Extra time that the caller allows for the answer. The service refuses malformed values itself. */
function waitMs(query: string): number {
  const { wait } = parametersOf(query)
  return typeof wait === 'string' && /^\d{1,2}$/.test(wait) ? Number(wait) * 1000 : 0
}

/** One service of the distributed form, with its connections and its circuit breaker. */
export function createUpstream(options: UpstreamOptions): Upstream {
  const { service, logger, metrics } = options
  const pool = new Pool(options.url, {
    connections: options.maxInFlight,
    headersTimeout: options.deadlineMs,
    bodyTimeout: options.deadlineMs,
    connect: { timeout: options.connectMs },
  })
  const circuit = createCircuit(options.clock)
  const server = options.outages.server(`service ${service}`)
  let inFlight = 0
  const failures = metrics.counter({
    name: 'assay_upstream_failures_total',
    help: 'Requests without an answer from the service. Kind: the error code, or cut for an answer that ended early.',
    labels: ['service', 'kind'],
  })
  failures.add({ service, kind: 'unavailable' }, 0)
  metrics
    .gauge({
      name: 'assay_upstream_circuit_open',
      help: '1 while requests to the service are refused because it does not answer.',
      labels: ['service'],
    })
    .read({ service }, () => (circuit.isOpen() ? 1 : 0))

  const notAnswering = `The ${service} service does not answer at present. Try again in a moment.`

  function refuse(response: ServerResponse, milliseconds: number): never {
    response.setHeader('retry-after', Math.max(1, Math.ceil(milliseconds / 1000)))
    throw new AssayError('unavailable', notAnswering)
  }

  function wantedOf(operation: Operation, request: IncomingMessage, response: ServerResponse) {
    const body = bodyOf(request, operation)
    const { path, query } = targetOf(request.url ?? '/')
    const headers = requestHeaders(request.headers, { requestId: requestIdOf(response), hasBody: body !== null })
    // Without tracing here, the caller's trace headers pass unchanged.
    if (recordsSpans()) Object.assign(headers, currentTrace())
    const wanted: Dispatcher.DispatchOptions = {
      method: request.method === 'HEAD' ? 'HEAD' : operation.method,
      path: query === '' ? path : `${path}?${query}`,
      headers,
      body,
    }
    if (operation.waits) wanted.headersTimeout = options.deadlineMs + waitMs(query)
    // A stream of events has no deadline between its parts.
    if (operation.events) wanted.bodyTimeout = 0
    return wanted
  }

  /** The positions of this service. */
  function positionsIn(header: string | string[] | undefined): readonly string[] {
    return header === undefined ? [] : (parsePositions(header).get(service) ?? [])
  }

  function onCut(error: Error): void {
    failures.add({ service, kind: 'cut' })
    logger.warn({ service, error }, 'an answer of a service broke off')
  }

  async function send(...[operation, identity, request, response, remembered]: Parameters<Forward>): Promise<void> {
    let current: Exchange | undefined
    let hasLeft = false
    let hasHead = false
    response.once('close', () => {
      hasLeft = true
      current?.leave()
    })

    function onHead(status: number, headers: IncomingHttpHeaders): void {
      hasHead = true
      circuit.succeeded()
      server.answered()
      if (status === 401)
        throw new AssayError(
          'bad-gateway',
          `The ${service} service does not accept this gateway. Both need the same ASSAY_IDENTITY_SECRET and clocks that agree.`,
        )
      const of = { service, isWrite: operation.method !== 'GET' }
      remembered.positions.remember(senderOf(request, identity), of, positionsIn(headers[positionHeader]))
      const written = positionsIn(headers[writtenHeader])
      for (const each of written) remembered.writes.remember(identity.accessKey, service, each)
      response.statusCode = status
      for (const [name, value] of answerHeaders(headers)) response.setHeader(name, value)
    }

    try {
      const wanted = wantedOf(operation, request, response)
      current = exchange(pool, wanted, response, { onHead, onCut })
      try {
        await current.over
      } catch (error) {
        // The service may close an idle connection at the moment it is used. Repeating a read is safe.
        if (operation.method !== 'GET' || hasHead || hasLeft || !isBroken(error)) throw error
        current = exchange(pool, wanted, response, { onHead, onCut })
        await current.over
      }
      if (hasLeft && !hasHead) circuit.abandoned()
    } catch (error) {
      if (isAssayError(error)) {
        circuit.abandoned()
        if (isAssayError(error, 'too-large')) response.setHeader('connection', 'close')
        throw error
      }
      circuit.failed()
      const failure = failureOf(error, service, operation.method !== 'GET')
      server.failed(failure)
      failures.add({ service, kind: failure.code })
      response.setHeader('retry-after', 1)
      throw failure
    }
  }

  async function sendTraced(...call: Parameters<Forward>): Promise<void> {
    const [{ method, path }, , , response] = call
    const { hostname, port } = new URL(options.url)
    const work = beginWork(`${method} ${path}`, {
      kind: 'client',
      attributes: () => ({
        'http.request.method': method,
        'server.address': hostname,
        ...(port === '' ? {} : { 'server.port': Number(port) }),
        'url.template': path,
        'peer.service': `assay-${service}`,
      }),
    })
    try {
      await work.within(() => send(...call))
      const status = response.statusCode
      work.describe(`${method} ${path}`, () => ({ 'http.response.status_code': status }))
      work.end(status >= 400 ? `It was answered with ${status}.` : undefined)
    } catch (error) {
      work.end(error)
      throw error
    }
  }

  return {
    async forward(...call) {
      const [, , , response] = call
      if (inFlight >= options.maxInFlight) refuse(response, 1000)
      const wait = circuit.enter()
      if (wait > 0) {
        server.failed(new AssayError('unavailable', notAnswering))
        refuse(response, wait)
      }
      inFlight += 1
      try {
        await (recordsSpans() ? sendTraced(...call) : send(...call))
      } finally {
        inFlight -= 1
      }
    },
    close: () => pool.close(),
  }
}
