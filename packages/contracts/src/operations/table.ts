import * as catalog from './catalog.ts'
import * as execution from './execution.ts'
import * as gateway from './gateway.ts'
import * as notification from './notification.ts'
import type { Operation } from './operation.ts'
import * as policy from './policy.ts'
import * as sampling from './sampling.ts'

/** Every operation that Assay serves. Not in here: `/openapi.json`, `/docs`, `/healthz`, `/readyz`, `/metrics`. */
export const operations: readonly Operation[] = [gateway, catalog, policy, execution, sampling, notification].flatMap(
  (group) => Object.values<Operation>(group),
)
