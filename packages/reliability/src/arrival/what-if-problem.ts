import type { Problem } from '../definition.ts'
import { parseDuration } from '../times.ts'
import { firstProblem, scoreProblem, type WhatIfChanges } from '../what-if/problem.ts'

/** Why stored ages cannot be judged by the changed items. Pure. */
export function freshnessProblem(changes: WhatIfChanges): Problem | undefined {
  return (
    scoreProblem(changes) ??
    firstProblem(changes, ({ value }) => {
      if (value == null) return undefined
      const { maxAge, ...others } = value
      const [other] = Object.entries(others).filter(([, one]) => one !== undefined)
      if (other !== undefined) return { path: `value.${other[0]}`, message: 'freshness has only the limit maxAge' }
      if (maxAge == null || parseDuration(maxAge) !== undefined) return undefined
      return { path: 'value.maxAge', message: 'must be an ISO 8601 duration, for example PT36H or P7D' }
    })
  )
}

/** Why stored numbers cannot be judged by the changed items. Pure. */
export function cadenceProblem(changes: WhatIfChanges): Problem | undefined {
  return (
    scoreProblem(changes) ??
    firstProblem(changes, ({ value }) =>
      value == null ? undefined : { path: 'value', message: 'is not used by cadence; send thresholdConfig' },
    )
  )
}
