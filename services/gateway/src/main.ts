import { randomBytes } from 'node:crypto'
import { createHostWithBus, readConfig, runService } from '@assay/hosting'
import { gatewayConfig } from './config.ts'
import { withTokenCache } from './forwarding/token-cache.ts'
import { createUpstreams } from './forwarding/upstreams.ts'
import {
  createEventTokens,
  createGatewayApp,
  createGatewayService,
  gatewayAggregates,
  gatewayCollections,
  gatewayKeptCollections,
} from './service.ts'

const config = readConfig(gatewayConfig)
const hosted = {
  name: 'gateway',
  collections: gatewayCollections,
  aggregates: gatewayAggregates,
  keptCollections: gatewayKeptCollections,
} as const

runService(
  'gateway',
  config,
  (ambient) => createHostWithBus(config, hosted, ambient),
  (host) => {
    const service = createGatewayService({
      ...host,
      newSecret: () => randomBytes(32),
      eventTokens: createEventTokens({
        secret: config.ASSAY_IDENTITY_SECRET,
        alsoAccepted: config.ASSAY_IDENTITY_SECRET_ALSO,
        clock: host.clock,
      }),
      maxTenantBytes: config.ASSAY_TENANT_MAX_MB * 1_000_000,
      presetAdmin: { accessKey: config.ASSAY_ADMIN_ACCESS_KEY, secretKey: config.ASSAY_ADMIN_SECRET_KEY },
    })
    const { forwards, operations, close } = createUpstreams(
      {
        catalog: config.ASSAY_CATALOG_URL,
        policy: config.ASSAY_POLICY_URL,
        execution: config.ASSAY_EXECUTION_URL,
        sampling: config.ASSAY_SAMPLING_URL,
        notification: config.ASSAY_NOTIFICATION_URL,
      },
      {
        deadlineMs: config.ASSAY_UPSTREAM_TIMEOUT_SECONDS * 1000,
        connectMs: config.ASSAY_UPSTREAM_CONNECT_TIMEOUT_MS,
        maxInFlight: config.ASSAY_UPSTREAM_MAX_REQUESTS,
        ...host,
      },
    )
    return {
      service: {
        ...service,
        async start() {
          // Every replica calls this at its start. Only the first call has an effect.
          await service.firstStart()
          await service.start()
        },
      },
      parts: [{ name: 'upstreams', stop: close, stopWithinMs: 1_000 }],
      app: (problems) =>
        createGatewayApp({
          ...host,
          signer: withTokenCache(host.signer, host.clock),
          gateway: service,
          services: [{ ...service, problems }],
          forwards,
          operations,
          rateLimit: config.ASSAY_RATE_LIMIT,
          failureLimit: config.ASSAY_FAILED_AUTHENTICATION_LIMIT,
        }),
    }
  },
)
