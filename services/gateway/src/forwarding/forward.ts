import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { Operation, ServiceName } from '@assay/contracts'
import {
  asOfHeader,
  type Clock,
  type Identity,
  type Logger,
  type Metrics,
  morePagesHeader,
  parsePositions,
  positionHeader,
  requestIdOf,
  targetOf,
  writtenHeader,
} from '@assay/service-kit'
import { AssayError, isAssayError } from '@assay/service-kit/errors'
import { type Dispatcher, Pool } from 'undici'
import type { AnsweredPositions } from '../http/answered-positions.ts'
import type { SharedWrites } from '../http/shared-writes.ts'
import { bodyOf } from './body.ts'
import { createCircuit } from './circuit.ts'
import { type Exchange, exchange } from './exchange.ts'
import { failureOf, isBroken } from './failures.ts'
import { answerHeaders, requestHeaders } from './headers.ts'

/** Where answers are noted, so that later requests of the key see what they told. */
export interface Remembered {
  positions: AnsweredPositions
  writes: AnsweredPositions
  /** For other gateways; absent where there is none. */
  shared?: Pick<SharedWrites, 'share'> | undefined
  /** Of the page that is asked for. */
  page?: { asOf?: string | undefined; remember?: ((mark: string) => Promise<void>) | undefined } | undefined
}

/** Carries an admitted request to the service that owns the operation, and its answer back. Rejects before the answer began. */
export type Forward = (
  operation: Operation,
  identity: Identity,
  request: IncomingMessage,
  response: ServerResponse,
  remembered: Remembered,
) => Promise<void>

export interface Upstream {
  forward: Forward
  /** Waits for the requests that are under way. */
  close(): Promise<void>
}

export interface UpstreamOptions {
  service: ServiceName
  /** `http://host:port`. */
  url: string
  /** Until the answer begins, and between two parts of it. Milliseconds. */
  deadlineMs: number
  /** Until a connection stands. Milliseconds. */
  connectMs: number
  /** Requests under way at once; those beyond are refused with 503. */
  maxUnderWay: number
  logger: Logger
  metrics: Metrics
  clock: Clock
}

/** One service of the distributed form, with its connections and its circuit. */
export function createUpstream(options: UpstreamOptions): Upstream {
  const { service, logger, metrics } = options
  const pool = new Pool(options.url, {
    connections: options.maxUnderWay,
    headersTimeout: options.deadlineMs,
    bodyTimeout: options.deadlineMs,
    connect: { timeout: options.connectMs },
  })
  const circuit = createCircuit(options.clock)
  let underWay = 0
  metrics.gauge(`assay_upstream_circuit_open_${service}`, () => (circuit.isOpen() ? 1 : 0))

  function refuse(response: ServerResponse, milliseconds: number): never {
    response.setHeader('retry-after', Math.max(1, Math.ceil(milliseconds / 1000)))
    throw new AssayError('unavailable', `The ${service} service does not answer at present. Try again in a moment.`)
  }

  function wantedOf(operation: Operation, request: IncomingMessage, response: ServerResponse, asOf?: string) {
    const body = bodyOf(request, operation)
    const { path, query: asked } = targetOf(request.url ?? '/')
    const query = asOf === undefined ? asked : `${asked}&asOf=${encodeURIComponent(asOf)}`
    const wanted: Dispatcher.DispatchOptions = {
      method: request.method === 'HEAD' ? 'HEAD' : operation.method,
      path: query === '' ? path : `${path}?${query}`,
      headers: requestHeaders(request.headers, {
        requestId: requestIdOf(response),
        hasBody: body !== null,
      }),
      body,
    }
    // It goes on for as long as it is read.
    if (operation.events) wanted.bodyTimeout = 0
    return wanted
  }

  /** Of this service. */
  function positionsIn(header: string | string[] | undefined): readonly string[] {
    return header === undefined ? [] : (parsePositions(header).get(service) ?? [])
  }

  function onCut(error: Error): void {
    metrics.count('assay_upstream_failures_total', { service, kind: 'cut' })
    logger.warn({ service, error }, 'an answer of a service ended before it was whole')
  }

  async function carry(...[operation, identity, request, response, remembered]: Parameters<Forward>): Promise<void> {
    let current: Exchange | undefined
    let hasLeft = false
    let hasHead = false
    response.once('close', () => {
      hasLeft = true
      current?.leave()
    })

    function onHead(status: number, headers: IncomingHttpHeaders): Promise<void> | undefined {
      hasHead = true
      circuit.succeeded()
      if (status === 401)
        throw new AssayError(
          'bad-gateway',
          `The ${service} service does not accept this gateway. Both need the same ASSAY_IDENTITY_SECRET and clocks that agree.`,
        )
      const position = positionsIn(headers[positionHeader]).at(-1)
      if (position !== undefined) remembered.positions.remember(identity.accessKey, service, position)
      const written = positionsIn(headers[writtenHeader])
      for (const each of written) remembered.writes.remember(identity.accessKey, service, each)
      response.statusCode = status
      for (const [name, value] of answerHeaders(headers)) response.setHeader(name, value)
      // What was read can be read again; what was written is told to other gateways before its caller may go there.
      const asOf = headers[asOfHeader]
      if (operation.method === 'GET')
        return headers[morePagesHeader] === undefined || typeof asOf !== 'string'
          ? undefined
          : remembered.page?.remember?.(asOf)
      return remembered.shared?.share(identity.accessKey, {
        positions: new Map(position === undefined ? [] : [[service, [position]]]),
        written: new Map(written.length === 0 ? [] : [[service, written]]),
      })
    }

    try {
      const wanted = wantedOf(operation, request, response, remembered.page?.asOf)
      current = exchange(pool, wanted, response, { onHead, onCut })
      try {
        await current.over
      } catch (error) {
        // A connection that was kept may be closed at the very moment it is used. To read twice does no harm.
        if (operation.method !== 'GET' || hasHead || hasLeft || !isBroken(error)) throw error
        current = exchange(pool, wanted, response, { onHead, onCut })
        await current.over
      }
      if (hasLeft && !hasHead) circuit.leftOpenEnded()
    } catch (error) {
      if (isAssayError(error)) {
        circuit.leftOpenEnded()
        if (isAssayError(error, 'too-large')) response.setHeader('connection', 'close')
        throw error
      }
      circuit.failed()
      const failure = failureOf(error, service, operation.method !== 'GET')
      metrics.count('assay_upstream_failures_total', { service, kind: failure.code })
      response.setHeader('retry-after', 1)
      throw failure
    }
  }

  return {
    async forward(...call) {
      const [, , , response] = call
      if (underWay >= options.maxUnderWay) refuse(response, 1000)
      const wait = circuit.enter()
      if (wait > 0) refuse(response, wait)
      underWay += 1
      try {
        await carry(...call)
      } finally {
        underWay -= 1
      }
    },
    close: () => pool.close(),
  }
}
