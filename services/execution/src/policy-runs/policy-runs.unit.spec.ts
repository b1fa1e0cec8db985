import { describe, expect, it } from 'vitest'
import { decide, evolve, noRuns } from './policy-runs.ts'

const at = '2026-11-20T10:00:00.000Z'
const open5 = evolve(noRuns, { type: 'RunOpened', data: { executionId: 5, at } })

describe('the runs of a policy', () => {
  it('given none open, when one is opened, then it is', () => {
    expect(decide({ type: 'OpenRun', executionId: 5, at }, noRuns)).toEqual([
      { type: 'RunOpened', data: { executionId: 5, at } },
    ])
  })
  it('given one open, when another is opened, then it is refused', () => {
    expect(() => decide({ type: 'OpenRun', executionId: 6, at }, open5)).toThrow(
      'The previous execution (5) of this policy has not completed',
    )
  })
  it('given one open, when it is opened again, then nothing happens', () => {
    expect(decide({ type: 'OpenRun', executionId: 5, at }, open5)).toEqual([])
  })
  it('given one open, when it ends, then the next can be opened', () => {
    const [ended] = decide({ type: 'EndRun', executionId: 5, at, ended: null }, open5)
    expect(ended && evolve(open5, ended)).toEqual(noRuns)
  })
  it('given one open, when another ends, then it stays open', () => {
    expect(decide({ type: 'EndRun', executionId: 4, at, ended: null }, open5)).toEqual([])
  })
})
