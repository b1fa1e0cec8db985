import type { PolicyType } from '@assay/contracts'
import { familyOf } from '../families/table.ts'
import type { DefinitionFrame, DefinitionOf, Target } from './definition.ts'
import { thresholdOfScore } from './stored-threshold.ts'

/** The defaults of a policy. `right`: the second target, for types that compare two. */
export function defaultDefinition<Type extends PolicyType>(
  type: Type,
  name: string,
  target: Target,
  right: Target = target,
): DefinitionOf<Type> {
  return Object.assign(frameOf(name, target), { type }, familyOf(type).defaults(right))
}

function frameOf(name: string, target: Target): DefinitionFrame {
  return {
    name,
    description: '',
    enabled: true,
    target,
    thresholdLevel: thresholdOfScore(100),
    verdictBy: 'ITEMS',
    policyScoreStrategy: 'WEIGHTAGE',
    scoreItems: [],
    includeInQualityScore: true,
    treatZeroRowsAsSuccess: false,
    filter: null,
    scheduled: false,
    schedule: null,
    timeZone: 'UTC',
    scheduleExecutionType: null,
    executionTimeoutInMinutes: null,
    labels: [],
  }
}
