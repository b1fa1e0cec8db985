import * as admin from './admin.ts'
import * as annotations from './annotations.ts'
import * as catalog from './catalog.ts'
import * as customAssets from './custom-assets.ts'
import * as execution from './execution.ts'
import { executionKindOperations } from './executions-by-kind.ts'
import * as gateway from './gateway.ts'
import * as incident from './incident.ts'
import * as notification from './notification.ts'
import * as notificationChannels from './notification-channels.ts'
import * as notificationRules from './notification-rules.ts'
import * as notificationSettings from './notification-settings.ts'
import type { Operation } from './operation.ts'
import * as persistence from './persistence.ts'
import { policyKindOperations } from './policies.ts'
import * as policy from './policy.ts'
import * as profiles from './profiles.ts'
import * as referenceAssets from './reference-assets.ts'
import * as ruleTags from './rule-tags.ts'
import * as sampling from './sampling.ts'
import * as search from './search.ts'
import * as tagService from './tag-service.ts'
import * as udf from './udf.ts'
import * as udfVariables from './udf-variables.ts'

/** Every operation that Assay serves, except `/openapi.json`, `/docs`, `/healthz`, `/readyz` and `/metrics`. */
export const operations: readonly Operation[] = [
  gateway,
  admin,
  catalog,
  annotations,
  tagService,
  policy,
  policyKindOperations,
  persistence,
  ruleTags,
  execution,
  executionKindOperations,
  incident,
  profiles,
  sampling,
  search,
  notification,
  notificationChannels,
  notificationRules,
  notificationSettings,
  udfVariables,
  udf,
  customAssets,
  referenceAssets,
].flatMap((group) => Object.values<Operation>(group))
