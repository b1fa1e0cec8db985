import { describe, expect, it } from 'vitest'
import { runFixture } from '../testing/fixtures.ts'
import { executionResultOf, unionCount } from './execution-result.ts'

describe('the number of rows that failed any of several items', () => {
  it.each([
    [[], 0],
    [[0, null, 0], 0],
    [[0, 3, null], 3],
    [[2, 3], null],
  ])('given %j rows of each item, then it is %j', (sizes, count) => {
    expect(unionCount(sizes)).toBe(count)
  })
})

describe('a run that waits', () => {
  it('has all fields, is RUNNING, and has the time since its start', () => {
    const waiting = { status: 'waiting' as const, run: runFixture(), fence: 0, lost: 0 }
    const { execution, result, items, meta } = executionResultOf(waiting, Date.parse('2026-11-20T10:00:02.500Z'))
    expect(execution).toMatchObject({ executionStatus: 'RUNNING', resultStatus: 'RUNNING', jobState: 'QUEUED' })
    expect(execution).not.toHaveProperty('policyScoreStrategy')
    expect(result).toMatchObject({ status: 'RUNNING', ruleExecutionType: 'DQ_RULE_TYPE_EXECUTION', rows: null })
    expect([items, meta]).toEqual([[], { elapsedMs: 2500, progress: { stage: 'QUEUED', fraction: null } }])
  })
})

describe('the resources that a start asked for', () => {
  const blocks = { additionalConfiguration: null, yunikorn: null, databricks: null, dataproc: null, livy: null }
  const unset = { ...blocks, invalidFields: [] }
  it.each([
    [null, null],
    [{ livy: { driverCores: 1 } }, { ...unset, livy: { driverCores: 1 } }],
    [{ invalidFields: 'none' }, unset],
  ])('%j are shown as %j', (sparkResourceConfig, shown) => {
    const waiting = { status: 'waiting' as const, run: runFixture({ sparkResourceConfig }), fence: 0, lost: 0 }
    expect(executionResultOf(waiting, 0).execution.sparkResourceConfig).toEqual(shown)
  })
})
