import { describe, expect, it } from 'vitest'
import { dayMs } from '../series/series-day.ts'
import { judgeReading, shownFigure } from './judge-anomaly.ts'

describe('the figures in the sentence about an unusual value', () => {
  it('given a value just above the limit, then both have the digits in which they differ', () => {
    const readings = Array.from({ length: 30 }, (_, index) => ({
      at: index * dayMs,
      value: 104_000 + (index % 5) * 10,
    }))
    const judge = (value: number) =>
      judgeReading({ at: 30 * dayMs, value }, { readings, figure: 'NUMBER' }, { error: 'MEDIUM' })
    let [passing, firing] = [104_000, 200_000]
    while (firing - passing > 1e-6) {
      const middle = (passing + firing) / 2
      if (judge(middle)?.verdict === 'SUCCESSFUL') passing = middle
      else firing = middle
    }
    const judged = judge(firing)
    const [, upper] = judged?.usual?.match(/ to (.*)\)\.$/) ?? []
    expect(Number(judged?.shown)).toBeGreaterThan(Number(upper))
  })

  it('given many digits before the point, then all of them are shown, and four of other figures', () => {
    expect([104_950, 104_950.4, 1_234.5, 12.3456, 0.00123456].map((value) => shownFigure(value))).toEqual([
      ...['104950', '104950', '1235', '12.35', '0.001235'],
    ])
  })
})
