import { isOfFamily, itemKindOf, type PolicyAnswer } from '@assay/contracts'
import type { PlannedColumn, Problem } from '../definition.ts'
import { planItem } from '../plan-item.ts'
import { judgedFigure } from '../series/item-figures.ts'
import { firstProblem, percentageThresholdProblem, type WhatIfChanges } from '../what-if/problem.ts'

/**
 * Why stored values cannot be judged by the changed items: a limit is impossible, or it determines what is measured.
 * Pure.
 */
export function qualityProblem(
  changed: PolicyAnswer,
  changes: WhatIfChanges,
  columns: readonly PlannedColumn[],
): Problem | undefined {
  if (!isOfFamily(changed, 'quality')) return undefined
  return firstProblem(changes, ({ id, value, thresholdConfig, resultThreshold }) => {
    const item = changed.details.items.find((one) => one.id === id)
    if (item === undefined) return undefined
    if (value != null && itemKindOf(item.measurementType).measures === 'ROWS')
      return { path: 'value', message: 'decides what the item measures, so stored values cannot answer' }
    if (value == null && thresholdConfig == null && resultThreshold == null) return undefined
    const impossible = judgedFigure(item) === 'PERCENTAGE' ? percentageThresholdProblem({ thresholdConfig }) : undefined
    if (impossible !== undefined) return impossible
    const planned = planItem(item, columns)
    // A column that no longer exists says nothing about the limits.
    const isOfLimits = 'problem' in planned && /^(value|thresholdConfig)/.test(planned.problem.path)
    return isOfLimits ? planned.problem : undefined
  })
}
