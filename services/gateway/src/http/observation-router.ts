import { asyncApiDocument, type ErrorEnvelope } from '@assay/contracts'
import { type Logger, type Metrics, messageOf, metricsContentType, type Service } from '@assay/service-kit'
import { Router } from 'express'
import { openApiText } from './openapi-text.ts'

async function problemsOf(service: Service): Promise<string[]> {
  try {
    return await service.problems()
  } catch (error) {
    return [messageOf(error)]
  }
}

/**
 * Endpoints for probes, without a key: `/healthz` (503 when `isAlive` says that the process must be restarted),
 * `/readyz`, `/metrics`, `/openapi.json`, `/asyncapi.json`.
 */
export function observationRouter(deps: {
  services: readonly Service[]
  metrics: Metrics
  logger: Logger
  version: string
  /** Default: always. */
  isAlive?: () => boolean
  /** Delays that do not stop the service, as sentences that everybody may read. */
  waiting?: () => Promise<readonly string[]>
}): Router {
  const { services, metrics, logger, version, isAlive = () => true, waiting = async () => [] } = deps
  const openApi = openApiText(version)
  const asyncApi = JSON.stringify(asyncApiDocument(version))
  const router = Router({ caseSensitive: true })
  router.get('/healthz', (_request, response) => {
    if (isAlive()) {
      response.json({ status: 'ok', version })
      return
    }
    const body: ErrorEnvelope = {
      errors: [{ message: 'Assay is stuck. Restart it.', status: 503 }],
    }
    response.status(503).json(body)
  })
  router.get('/readyz', (_request, response, next) => {
    const asked = services.map(async (service) => ({ service: service.name, problems: await problemsOf(service) }))
    Promise.all([Promise.all(asked), waiting()])
      .then(([all, late]) => {
        const unready = all.filter(({ problems }) => problems.length > 0)
        if (unready.length === 0) {
          response.json({ status: 'ready', version, ...(late.length > 0 ? { waiting: late } : {}) })
          return
        }
        // These endpoints need no key, and the reasons may name things of a tenant, so they appear only in the log.
        logger.warn({ unready }, 'not ready')
        const message = (service: string, count: number) =>
          `${service} is not ready: ${count} ${count === 1 ? 'problem' : 'problems'}, see its log.`
        const body: ErrorEnvelope = {
          errors: unready.map(({ service, problems }) => ({ message: message(service, problems.length), status: 503 })),
        }
        response.status(503).json(body)
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
  router.get('/asyncapi.json', (_request, response) => {
    response.type('json').send(asyncApi)
  })
  router.get('/openapi.json', (_request, response, next) => {
    openApi()
      .then((text) => response.type('json').send(text))
      .catch(next)
  })
  return router
}
