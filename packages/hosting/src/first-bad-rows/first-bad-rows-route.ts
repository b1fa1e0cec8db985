import { type IdentitySigner, nameOperation } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import express, { type Request, Router } from 'express'
import { z } from 'zod'
import { callingService } from '../internal/calling-service.ts'
import type { FirstBadRows } from './first-bad-rows.ts'
import { firstBadRowsPath, firstBadRowsRequest } from './wire.ts'

/** `POST /internal/first-bad-rows`. Accepts only tokens of services. */
export function firstBadRowsRoute(deps: {
  firstBadRows: FirstBadRows
  signer: Pick<IdentitySigner, 'verify'>
}): Router {
  const { firstBadRows, signer } = deps

  async function answer(request: Request, signal: AbortSignal) {
    const { tenant, user, permissions } = callingService(signer, request)
    const parsed = firstBadRowsRequest.safeParse(request.body)
    if (!parsed.success) throw new AssayError('invalid', z.prettifyError(parsed.error))
    return { badRows: (await firstBadRows({ tenant, user, permissions, ...parsed.data, signal })) ?? null }
  }

  const router = Router({ caseSensitive: true })
  router.post(
    firstBadRowsPath,
    (request, response, next) => {
      nameOperation(response, 'first bad rows')
      callingService(signer, request)
      next()
    },
    express.json({ limit: 1_000 }),
    (request, response, next) => {
      const left = new AbortController()
      response.once('close', () => left.abort())
      answer(request, left.signal)
        .then((body) => response.json(body))
        .catch(next)
    },
  )
  return router
}
