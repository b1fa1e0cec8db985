import { policyMessage, type RuleAnswer } from '@assay/contracts'
import { describe, expect, it } from 'vitest'
import { policyFixture, runFixture } from '../testing/fixtures.ts'
import { acceptedRun } from './run.ts'

/** The policy without what its record got later. */
function asBefore({ rule, details, ...rest }: RuleAnswer): object {
  const { ruleSetId, totalExecutionTimeoutInMinutes, thresholdLevel, ...oldRule } = rule
  const { parentId, subType, engineType, customSqlConfig, jobSchedule, ...oldDetails } = details
  const items = details.items.map(({ associatedDQRecommendationId, bulkPolicyDqRuleId, ...item }) => item)
  return { rule: { ...oldRule, thresholdLevel }, details: { ...oldDetails, items }, ...rest }
}

describe('what was written before the record of a policy had all its fields', () => {
  const { policy } = policyFixture()

  it('given a run, then its policy has them', () => {
    const run = runFixture()
    expect(acceptedRun.parse({ ...run, policy: asBefore(run.policy) })).toEqual(acceptedRun.parse(run))
    expect(acceptedRun.parse({ ...run, policy: asBefore(run.policy) }).policy.details.jobSchedule).toBeNull()
  })

  it('given what a policy was told of, then it has them', () => {
    const message = policyFixture()
    expect(policyMessage.parse({ ...message, policy: asBefore(policy) })).toEqual(policyMessage.parse(message))
  })

  it('given something that is no policy, then it is refused', () => {
    const message = policyFixture()
    for (const wrong of [null, {}, { rule: {}, details: {} }])
      expect(policyMessage.safeParse({ ...message, policy: wrong }).success).toBe(false)
  })
})
