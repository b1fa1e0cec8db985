import { describe, expect, it } from 'vitest'
import { withLaterFields } from './later-fields.ts'
import { wholeThreshold } from './threshold.ts'

const absolute = (config: Record<string, unknown>) => ({ type: 'ABSOLUTE' as const, success: 1, warning: null, config })

describe('a policy as it was stored before its record had all fields', () => {
  const before = {
    rule: { type: 'DATA_QUALITY', name: 'old', thresholdLevel: absolute({ direction: 'ABOVE', success: 1 }) },
    details: { ruleId: 1, items: [{ id: 1, thresholdConfig: absolute({ direction: 'BELOW', success: 1 }) }] },
    childRules: [],
  }

  it('then it has them, and what it had stays', () => {
    expect(withLaterFields(before)).toMatchObject({
      rule: { name: 'old', ruleSetId: null, totalExecutionTimeoutInMinutes: null },
      details: {
        ...{ ruleId: 1, parentId: null, subType: 'ASSET', engineType: null, customSqlConfig: null, jobSchedule: null },
        items: [
          {
            ...{ id: 1, associatedDQRecommendationId: null, bulkPolicyDqRuleId: null },
            thresholdConfig: { config: { direction: 'BELOW', warning: null } },
          },
        ],
      },
      childRules: [],
    })
  })

  it('given the fields, then they are not touched', () => {
    const rule = { ...before.rule, ruleSetId: 7 }
    expect(withLaterFields({ ...before, rule })).toMatchObject({ rule: { ruleSetId: 7 } })
    const twice = withLaterFields(withLaterFields(before))
    expect(twice).toEqual(withLaterFields(before))
  })

  it('given a policy of two assets, then its details name the engine of the left one, and get nothing of data quality', () => {
    const { rule, details } = before
    const two = { rule: { ...rule, type: 'EQUALITY' }, details: { ...details, leftBackingAssetId: 1 } }
    const whole = withLaterFields(two)
    expect(whole).toMatchObject({ details: { leftEngineType: null } })
    expect(whole).not.toHaveProperty('details.customSqlConfig')
    expect(whole).not.toHaveProperty('details.items.0.bulkPolicyDqRuleId')
  })

  it.each([null, 'policy', 7, [], {}, { rule: {} }, { rule: null, details: {} }])(
    'given %j, then it is left',
    (value) => {
      expect(withLaterFields(value)).toEqual(value)
    },
  )
})

describe('a whole threshold', () => {
  it.each([
    [absolute({ direction: 'ABOVE', success: 1 }), { direction: 'ABOVE', success: 1, warning: null }],
    [absolute({ direction: 'ABOVE', success: 1, warning: 2 }), { direction: 'ABOVE', success: 1, warning: 2 }],
    [
      absolute({ direction: 'RANGE', lowerSuccess: 1, upperSuccess: 2, upperWarning: 3 }),
      { direction: 'RANGE', lowerSuccess: 1, upperSuccess: 2, lowerWarning: null, upperWarning: 3 },
    ],
    [
      { ...absolute({ successSensitivityLevel: 'HIGH' }), type: 'ANOMALY' as const },
      { successSensitivityLevel: 'HIGH', warningSensitivityLevel: null },
    ],
    [
      { ...absolute({ successLookBackWindow: 2 }), type: 'TIME_BASED' as const },
      { successLookBackWindow: 2, warningLookBackWindow: null },
    ],
  ])('%j has all members of its config', (record, config) => {
    expect(wholeThreshold(record)).toEqual({ ...record, config })
  })

  it('given none that can be read, then it is left', () => {
    expect(wholeThreshold({ type: 'ABSOLUTE', success: null, warning: null })).toEqual({
      type: 'ABSOLUTE',
      success: null,
      warning: null,
    })
  })
})
