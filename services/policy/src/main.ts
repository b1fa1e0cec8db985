import { createHostWithBus, createPrepareClient, readConfig, runService } from '@assay/hosting'
import { policyConfig } from './config.ts'
import { createPolicyService, policyAggregates, policyCollections, policyCopies } from './service.ts'

const config = readConfig(policyConfig)
const hosted = {
  name: 'policy',
  collections: policyCollections,
  aggregates: policyAggregates,
  copies: policyCopies,
} as const

runService(
  'policy',
  config,
  (ambient) => createHostWithBus(config, hosted, ambient),
  (host) => {
    const prepare = createPrepareClient({ ...host, url: config.ASSAY_EXECUTION_URL, service: 'policy' })
    const scheduleContract = config.ASSAY_SCHEDULE_CONTRACT
    return { service: createPolicyService({ ...host, prepare, scheduleContract }) }
  },
)
