import * as annotations from './annotations.ts'
import * as catalog from './catalog.ts'
import * as execution from './execution.ts'
import * as gateway from './gateway.ts'
import * as notification from './notification.ts'
import type { Operation } from './operation.ts'
import { policyKindOperations } from './policies.ts'
import * as policy from './policy.ts'
import * as sampling from './sampling.ts'
import * as search from './search.ts'
import * as tagService from './tag-service.ts'

/** Every operation that Assay serves. Not in here: `/openapi.json`, `/docs`, `/healthz`, `/readyz`, `/metrics`. */
export const operations: readonly Operation[] = [
  gateway,
  catalog,
  annotations,
  tagService,
  policy,
  policyKindOperations,
  execution,
  sampling,
  search,
  notification,
].flatMap((group) => Object.values<Operation>(group))
