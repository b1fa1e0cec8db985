import type { ErrorEnvelope } from '@assay/contracts'
import { type Metrics, messageOf, type Service } from '@assay/service-kit'
import { Router } from 'express'

async function problemsOf(service: Service): Promise<string[]> {
  try {
    return (await service.problems()).map((problem) => `${service.name}: ${problem}`)
  } catch (error) {
    return [`${service.name}: ${messageOf(error)}`]
  }
}

/** What watches the process asks, without a key: `/healthz` (it runs), `/readyz` (it can work), `/metrics`, `/openapi.json`. */
export function observationRouter(deps: {
  services: readonly Service[]
  metrics: Metrics
  openApi: object
  version: string
}): Router {
  const { services, metrics, version } = deps
  const openApi = JSON.stringify(deps.openApi)
  const router = Router({ caseSensitive: true })
  router.get('/healthz', (_request, response) => {
    response.json({ status: 'ok', version })
  })
  router.get('/readyz', (_request, response, next) => {
    Promise.all(services.map(problemsOf))
      .then((lists) => {
        const problems = lists.flat()
        if (problems.length === 0) {
          response.json({ status: 'ready', version })
          return
        }
        const body: ErrorEnvelope = { errors: problems.map((message) => ({ message, status: 503 })) }
        response.status(503).json(body)
      })
      .catch(next)
  })
  router.get('/metrics', (_request, response) => {
    response.setHeader('content-type', 'text/plain; version=0.0.4; charset=utf-8')
    response.end(metrics.text())
  })
  router.get('/openapi.json', (_request, response) => {
    response.type('json').send(openApi)
  })
  return router
}
