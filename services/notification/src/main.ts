import { createHostWithBus, readConfig, runService } from '@assay/hosting'
import { notificationConfig } from './config.ts'
import {
  createNotificationService,
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
  (host) => ({ service: createNotificationService(host) }),
)
