/** Every group that a service of Assay joins: what may have parked messages. */
export const busGroups: readonly string[] = [
  'catalog',
  'catalog-policies',
  'policy',
  'execution',
  'execution-references',
  'sampling',
  'notification',
  'notification-events',
  'gateway-audit',
]
