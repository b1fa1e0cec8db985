import { catalogConfig } from '../../services/catalog/src/config.ts'
import { executionConfig } from '../../services/execution/src/config.ts'
import { gatewayConfig } from '../../services/gateway/src/config.ts'
import { notificationConfig } from '../../services/notification/src/config.ts'
import { policyConfig } from '../../services/policy/src/config.ts'
import { samplingConfig } from '../../services/sampling/src/config.ts'

/**
 * The configuration that each service of the distributed form reads from its environment: the source of truth for all
 * deployments.
 */
export const configurations = {
  catalog: catalogConfig,
  execution: executionConfig,
  gateway: gatewayConfig,
  notification: notificationConfig,
  policy: policyConfig,
  sampling: samplingConfig,
}
