import { pipeline } from 'node:stream'
import type { Operation, ServiceName } from '@assay/contracts'
import {
  type Clock,
  type Identity,
  type Logger,
  type Metrics,
  parsePositions,
  positionHeader,
} from '@assay/service-kit'
import { AssayError, isAssayError } from '@assay/service-kit/errors'
import type { Request, Response } from 'express'
import { type Dispatcher, Pool } from 'undici'
import type { AnsweredPositions } from '../http/answered-positions.ts'
import { bodyOf } from './body.ts'
import { createCircuit } from './circuit.ts'
import { failureOf, isBroken } from './failures.ts'
import { answerHeaders, requestHeaders } from './headers.ts'

/** Carries an admitted request to the service that owns the operation, and its answer back. Rejects before the answer began. */
export type Forward = (
  operation: Operation,
  identity: Identity,
  request: Request,
  response: Response,
  positions: AnsweredPositions,
) => Promise<void>

export interface Upstream {
  forward: Forward
  /** Lets what is under way end. */
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

  function refuse(response: Response, milliseconds: number): never {
    response.setHeader('retry-after', Math.max(1, Math.ceil(milliseconds / 1000)))
    throw new AssayError('unavailable', `The ${service} service does not answer at present. Try again in a moment.`)
  }

  async function send(operation: Operation, request: Request, response: Response, signal: AbortSignal) {
    const body = bodyOf(request, operation)
    const wanted: Dispatcher.RequestOptions = {
      method: request.method === 'HEAD' ? 'HEAD' : operation.method,
      path: request.originalUrl,
      headers: requestHeaders(request.headers, {
        requestId: String(response.locals.requestId),
        hasBody: body !== null,
      }),
      body,
      signal,
      // It goes on for as long as it is read.
      ...(operation.events ? { bodyTimeout: 0 } : {}),
    }
    try {
      return await pool.request(wanted)
    } catch (error) {
      // A connection that was kept may be closed at the very moment it is used. To read twice does no harm.
      if (operation.method !== 'GET' || signal.aborted || !isBroken(error)) throw error
      return pool.request(wanted)
    }
  }

  function answer(from: Dispatcher.ResponseData, response: Response, left: AbortController): Promise<void> {
    response.status(from.statusCode)
    for (const [name, value] of answerHeaders(from.headers)) response.setHeader(name, value)
    from.body.once('error', (error) => {
      if (left.signal.aborted) return
      // The head has been sent: the caller learns of it by the connection, which ends before the whole has come.
      metrics.count('assay_upstream_failures_total', { service, kind: 'cut' })
      logger.warn({ service, error }, 'an answer of a service ended before it was whole')
    })
    return new Promise((resolve) => {
      pipeline(from.body, response, () => resolve())
    })
  }

  async function carry(...[operation, identity, request, response, positions]: Parameters<Forward>): Promise<void> {
    const left = new AbortController()
    const leave = () => {
      if (!response.writableFinished) left.abort()
    }
    response.once('close', leave)
    let from: Dispatcher.ResponseData
    try {
      from = await send(operation, request, response, left.signal)
    } catch (error) {
      if (left.signal.aborted || isAssayError(error)) {
        circuit.leftOpenEnded()
        if (isAssayError(error, 'too-large')) response.setHeader('connection', 'close')
        if (left.signal.aborted) return
        throw error
      }
      circuit.failed()
      const failure = failureOf(error, service, operation.method !== 'GET')
      metrics.count('assay_upstream_failures_total', { service, kind: failure.code })
      response.setHeader('retry-after', 1)
      throw failure
    }
    circuit.succeeded()
    if (from.statusCode === 401) {
      await from.body.dump()
      throw new AssayError(
        'bad-gateway',
        `The ${service} service does not accept this gateway. Both need the same ASSAY_IDENTITY_SECRET and clocks that agree.`,
      )
    }
    const position = parsePositions(from.headers[positionHeader]).get(service)?.at(-1)
    if (position !== undefined) positions.remember(identity.accessKey, service, position)
    await answer(from, response, left)
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
