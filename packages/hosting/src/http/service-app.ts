import type { RequestListener } from 'node:http'
import { createHttpApp, createRouter, type IdentitySigner, type NewId, type Service } from '@assay/service-kit'
import type { Express } from 'express'
import { type Observed, observation } from './observation.ts'

/**
 * The HTTP app of a service behind the gateway. It has the service's operations, protected by the gateway's identity
 * token, the probes, and the routes for other services that `mount` adds.
 */
export function createServiceApp(
  deps: Omit<Observed, 'service'> & {
    service: Service
    signer: Pick<IdentitySigner, 'verify'>
    newId: NewId
    mount?: ((app: Express) => void) | undefined
  },
): RequestListener {
  const { service, signer, logger, metrics, newId, mount } = deps
  return createHttpApp({
    logger,
    newId,
    metrics,
    dispatch: createRouter({
      service: service.name,
      routes: service.routes,
      verify: signer.verify,
    }),
    configure(app) {
      app.use(observation({ ...deps, service: service.name }))
      mount?.(app)
    },
  })
}
