import type { StartRequest } from '@assay/contracts'
import { describe, expect, it } from 'vitest'
import { itemFixture, policyFixture } from '../testing/fixtures.ts'
import { assertStartable, assertWellFormed, openedPolicy } from './startable.ts'

const nothing: StartRequest = {
  executionType: undefined,
  includeInQualityScore: undefined,
  ruleItemSelections: undefined,
  markerConfigs: undefined,
  sparkResourceConfig: undefined,
}
const noSettings = { timeZone: null, freshnessColumn: null }
const start = (rule: Parameters<typeof policyFixture>[0], changes: Partial<StartRequest> = {}) => {
  const { policy } = policyFixture(rule, [itemFixture(), itemFixture({ id: 2, isArchived: true })])
  const request = { ...nothing, ...changes }
  const of = openedPolicy(policy, noSettings)
  assertWellFormed(of, request)
  assertStartable(of, policy, request)
}
const refused = (code: string, message: string) =>
  expect.objectContaining({ code, message: expect.stringContaining(message) })
const thrownBy = (work: () => void) => {
  try {
    work()
  } catch (error) {
    return error
  }
  return undefined
}

describe('starting a policy', () => {
  it('is allowed for an enabled policy', () => {
    expect(thrownBy(() => start({}, { ruleItemSelections: [1] }))).toBeUndefined()
  })
  it.each<[string, Parameters<typeof start>, string, string]>([
    ['archived', [{ archived: true, enabled: false }], 'unprocessable', 'archived'],
    ['disabled', [{ enabled: false }], 'unprocessable', 'disabled'],
    [
      'disabled, with an unknown item',
      [{ enabled: false }, { ruleItemSelections: [99] }],
      'invalid',
      'ruleItemSelections[0]',
    ],
    ['with an unknown item', [{}, { ruleItemSelections: [1, 99] }], 'invalid', 'ruleItemSelections[1]'],
    ['with an archived item', [{}, { ruleItemSelections: [2] }], 'invalid', 'ruleItemSelections[0]'],
    ['INCREMENTAL without a marker', [{}, { executionType: 'INCREMENTAL' }], 'unprocessable', 'marker'],
  ])('is refused when %s', (_, [rule, request], code, message) => {
    expect(thrownBy(() => start(rule, request))).toEqual(refused(code, message))
  })
})
