import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { ErrorEnvelope } from '@assay/contracts'
import type { Logger } from '@assay/service-kit'

/** Listens for a process from its first moment on. */
export interface Front {
  listener: RequestListener
  /** Sets the current step of the start, as a sentence that everybody may read. */
  tell(reason: () => string): void
  /** Sets what the start waits for, as a sentence for the log, because it may contain addresses. */
  wait(reason: string): void
  /** From now on the app answers. */
  open(app: RequestListener): void
}

function send(response: ServerResponse, status: number, body: object): void {
  if (status === 503) response.setHeader('retry-after', '1')
  response.statusCode = status
  response.setHeader('content-type', 'application/json; charset=utf-8')
  response.end(JSON.stringify(body))
}

/**
 * While a process starts, `/healthz` says that it is alive, `/readyz` answers 503 and whether the process waits or
 * works, and everything else answers 503: a monitor can tell a waiting process from a dead one. None of these needs a
 * key, so only the log names the server.
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
    tell(reason) {
      why = reason
      waitsFor = undefined
    },
    wait(reason) {
      why = () => 'It waits for a server or folder that it needs, see its log.'
      waitsFor = reason
    },
    open(opened) {
      app = opened
    },
  }
}
