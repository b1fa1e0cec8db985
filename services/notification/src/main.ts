import { randomBytes } from 'node:crypto'
import { createFirstBadRowsClient, createHostWithBus, readConfig, runService, sealingKeysOf } from '@assay/hosting'
import { createSealer } from '@assay/service-kit'
import { notificationConfig } from './config.ts'
import {
  createNotificationService,
  deliverySettingsOf,
  notificationAggregates,
  notificationCollections,
  notificationCopies,
  notificationKeptCollections,
} from './service.ts'

const config = readConfig(notificationConfig)
const hosted = {
  name: 'notification',
  collections: notificationCollections,
  aggregates: notificationAggregates,
  copies: notificationCopies,
  keptCollections: notificationKeptCollections,
} as const

runService(
  'notification',
  config,
  (ambient) => createHostWithBus(config, hosted, ambient),
  (host) => ({
    service: createNotificationService({
      ...host,
      sealer: createSealer(sealingKeysOf(config)),
      delivery: deliverySettingsOf(config),
      firstBadRows: createFirstBadRowsClient({ ...host, url: config.ASSAY_EXECUTION_URL, service: 'notification' }),
      newSecret: () => randomBytes(32),
      random: Math.random,
      repeatWindowMs: config.ASSAY_NOTIFY_REPEAT_WINDOW * 1_000,
    }),
  }),
)
