import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { ErrorEnvelope } from '@assay/contracts'
import type { Logger } from '@assay/service-kit'

/** The HTTP listener of a process. Answers requests while the process is still starting. */
export interface Front {
  listener: RequestListener
  /** Sets the current startup step, as a sentence without secrets. */
  setStep(reason: () => string): void
  /** Sets what startup waits for, as a sentence for the log only, because it may contain addresses. */
  setWaiting(reason: string): void
  /** From now on, `app` answers all requests. */
  open(app: RequestListener): void
}

function send(response: ServerResponse, status: number, body: object): void {
  if (status === 503) response.setHeader('retry-after', '1')
  response.statusCode = status
  response.setHeader('content-type', 'application/json; charset=utf-8')
  response.end(JSON.stringify(body))
}

/**
 * During startup, `/healthz` answers 200, so that monitors can distinguish a waiting process from a dead one. `/readyz`
 * answers 503 with the current step. All other paths answer 503. These endpoints need no key, so only the log names
 * servers.
 */
export function createFront(options: { name: string; version: string; logger: Logger }): Front {
  const { name, version, logger } = options
  let why = (): string => 'It is starting.'
  let waitsFor: string | undefined
  let app: RequestListener | undefined

  function starting(request: IncomingMessage, response: ServerResponse): void {
    // An unread body would block the connection.
    request.resume()
    const path = request.url?.split('?', 1)[0]
    if (path === '/healthz') {
      send(response, 200, { status: 'ok', version })
      return
    }
    const message =
      path === '/readyz' ? `${name} is not ready. ${why()}` : `${name} is starting. Try again in a moment.`
    if (path === '/readyz') logger.info({ reason: waitsFor ?? why() }, 'not ready yet')
    const body: ErrorEnvelope = { errors: [{ message, status: 503 }] }
    send(response, 503, body)
  }

  return {
    listener: (request, response) => (app ?? starting)(request, response),
    setStep(reason) {
      why = reason
      waitsFor = undefined
    },
    setWaiting(reason) {
      why = () => 'It waits for a server or folder that it needs, see its log.'
      waitsFor = reason
    },
    open(opened) {
      app = opened
    },
  }
}
