/** Every consumer group of Assay's services, each of which may have parked messages. */
export const busGroups: readonly string[] = [
  'catalog',
  'policy',
  'execution',
  'sampling',
  'notification',
  'notification-events',
  'gateway-audit',
]
