import type { ErrorEnvelope } from '@assay/contracts'
import { type Logger, type Metrics, messageOf, metricsContentType } from '@assay/service-kit'
import { Router } from 'express'

/**
 * The state that the probes of a process report. `isAlive`: if false, the process must be restarted. `problems`: why it
 * is not ready.
 */
export interface Observed {
  service: string
  version: string
  metrics: Metrics
  logger: Logger
  isAlive(): boolean
  problems(): Promise<string[]>
  /** Delays that do not make the service unready. They are sentences without secrets. */
  waiting?: (() => Promise<readonly string[]>) | undefined
}

const refusal = (message: string): ErrorEnvelope => ({ errors: [{ message, status: 503 }] })

/** `/healthz`, `/readyz` and `/metrics`. They need no identity, so details of problems appear only in the log. */
export function observation({ service, version, metrics, logger, isAlive, problems, waiting }: Observed): Router {
  const router = Router({ caseSensitive: true })
  router.get('/healthz', (_request, response) => {
    if (isAlive()) response.json({ status: 'ok', version })
    else response.status(503).json(refusal(`${service} is stuck. Restart it.`))
  })
  router.get('/readyz', (_request, response, next) => {
    Promise.all([problems().catch((error: unknown) => [messageOf(error)]), waiting?.() ?? []])
      .then(([found, late]) => {
        if (found.length === 0) {
          response.json({ status: 'ready', version, ...(late.length > 0 ? { waiting: late } : {}) })
          return
        }
        logger.warn({ problems: found }, 'not ready')
        const count = `${found.length} ${found.length === 1 ? 'problem' : 'problems'}`
        response.status(503).json(refusal(`${service} is not ready: ${count}, see its log.`))
      })
      .catch(next)
  })
  router.get('/metrics', (_request, response, next) => {
    response.setHeader('content-type', metricsContentType)
    metrics
      .text()
      .then((text) => response.end(text))
      .catch(next)
  })
  return router
}
