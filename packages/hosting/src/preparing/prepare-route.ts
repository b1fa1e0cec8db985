import { type IdentitySigner, identityHeader, nameOperation } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import express, { type Request, Router } from 'express'
import { z } from 'zod'
import type { Prepare } from './prepare.ts'
import { isInternal, preparePath, prepareRequest } from './wire.ts'

/** `POST /internal/prepare`. Accepts only tokens of services. */
export function prepareRoute(deps: { prepare: Prepare; signer: Pick<IdentitySigner, 'verify'> }): Router {
  const { prepare, signer } = deps

  function tenantOf(request: Request): string {
    const token = request.headers[identityHeader]
    const identity = signer.verify(typeof token === 'string' ? token : undefined)
    if (!identity || !isInternal(identity.accessKey))
      throw new AssayError('unauthenticated', 'The identity token of a service is missing or not valid.')
    return identity.tenant
  }

  async function answer(request: Request) {
    const parsed = prepareRequest.safeParse(request.body)
    if (!parsed.success) throw new AssayError('invalid', z.prettifyError(parsed.error))
    const { filter, ...definition } = parsed.data
    const found = await prepare({ tenant: tenantOf(request), ...definition, ...(filter ? { filter } : {}) })
    return { prepared: found === 'unreachable' ? null : found }
  }

  const router = Router({ caseSensitive: true })
  router.post(
    preparePath,
    (request, response, next) => {
      nameOperation(response, 'prepare')
      tenantOf(request)
      next()
    },
    // In a request, a definition is at most 1 MiB. The table's locator and the definition's filters are added to it.
    express.json({ limit: 8_388_608 }),
    (request, response, next) => {
      answer(request)
        .then((body) => response.json(body))
        .catch(next)
    },
  )
  return router
}
