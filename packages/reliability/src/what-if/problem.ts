import type { WhatIfRequest } from '@assay/contracts'
import type { Problem } from '../definition.ts'
import { percentageProblem } from '../threshold.ts'

/** A policy's changed thresholds and limits, as requested. */
export type WhatIfChanges = Pick<WhatIfRequest, 'rule' | 'items'>
export type WhatIfItem = NonNullable<WhatIfRequest['items']>[number]

/** The first problem of the requested items. Paths begin with the item's position in the request. Pure. */
export function firstProblem(
  { items = [] }: WhatIfChanges,
  problemOf: (item: WhatIfItem) => Problem | undefined,
): Problem | undefined {
  for (const [index, item] of items.entries()) {
    const problem = problemOf(item)
    if (problem !== undefined) return { ...problem, path: `items[${index}].${problem.path}` }
  }
  return undefined
}

/** For items whose threshold judges a percentage. Pure. */
export function percentageThresholdProblem({
  thresholdConfig,
}: Pick<WhatIfItem, 'thresholdConfig'>): Problem | undefined {
  const problem = thresholdConfig == null ? undefined : percentageProblem(thresholdConfig)
  return problem && { ...problem, path: `thresholdConfig.${problem.path}` }
}

/** For types whose series have no score. Pure. */
export function scoreProblem({ rule }: WhatIfChanges): Problem | undefined {
  const path = rule?.thresholdLevel ? 'rule.thresholdLevel' : rule?.verdictBy ? 'rule.verdictBy' : undefined
  return path && { path, message: 'has no effect here: the series of this type have no score' }
}

/** For items that only ANOMALY thresholds can judge. `instead`: ends the message with a reason or an alternative. Pure. */
export function usualOnly({ thresholdConfig }: WhatIfItem, instead: string): Problem | undefined {
  if (thresholdConfig == null || thresholdConfig.type === 'ANOMALY') return undefined
  return { path: 'thresholdConfig.type', message: `must be ANOMALY${instead}` }
}
