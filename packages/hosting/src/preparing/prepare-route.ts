import { type IdentitySigner, nameOperation } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import express, { type Request, Router } from 'express'
import { z } from 'zod'
import { callingService } from '../internal/calling-service.ts'
import type { Prepare } from './prepare.ts'
import { preparePath, prepareRequest } from './wire.ts'

/** `POST /internal/prepare`. Accepts only tokens of services. */
export function prepareRoute(deps: { prepare: Prepare; signer: Pick<IdentitySigner, 'verify'> }): Router {
  const { prepare, signer } = deps

  async function answer(request: Request) {
    const parsed = prepareRequest.safeParse(request.body)
    if (!parsed.success) throw new AssayError('invalid', z.prettifyError(parsed.error))
    const { filter, ...definition } = parsed.data
    const found = await prepare({
      tenant: callingService(signer, request).tenant,
      ...definition,
      ...(filter ? { filter } : {}),
    })
    return { prepared: found === 'unreachable' ? null : found }
  }

  const router = Router({ caseSensitive: true })
  router.post(
    preparePath,
    (request, response, next) => {
      nameOperation(response, 'prepare')
      callingService(signer, request)
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
