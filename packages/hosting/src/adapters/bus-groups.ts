/** Every group that a service of Assay joins: what may have parked messages. */
export const busGroups: readonly string[] = [
  'catalog',
  'policy',
  'execution',
  'sampling',
  'notification',
  'notification-events',
  'gateway-audit',
]
