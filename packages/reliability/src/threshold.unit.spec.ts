import { describe, expect, it } from 'vitest'
import { thresholdProblem } from './threshold.ts'

const stale = (successLookBackWindow: number, warningLookBackWindow?: number) =>
  thresholdProblem({
    type: 'TIME_BASED',
    config: { lookBackWindowType: 'RUNS', successLookBackWindow, warningLookBackWindow },
  })

describe('a TIME_BASED look-back over a number of runs', () => {
  it('is refused if it is longer than the retention of runs', () => {
    expect(stale(9_600, 9_600)).toBeUndefined()
    expect(stale(9_601)?.path).toBe('config.successLookBackWindow')
    expect(stale(10, 9_601)?.path).toBe('config.warningLookBackWindow')
  })
})
