import { describe, expect, it } from 'vitest'
import { scorePlot, scoreText } from './score-plot.ts'

const scoresOf = (...scores: [score: number, verdict: string][]) =>
  scores.map(([score, verdict], n) => ({
    ...{ executionId: n, policyId: 7, score, verdict, at: `2026-11-${10 + n}T10:00:00.000Z` },
  }))
const heights = (html: string) =>
  [...html.matchAll(/<tr><td height="(\d+)" bgcolor="(#\w+)"/g)].map(([, height, colour]) => [Number(height), colour])

describe('the plot of scores', () => {
  it('given scores and limits, then each has a bar in the colour of its verdict, before bands of the limits', () => {
    const scores = scoresOf([100, 'SUCCESSFUL'], [85, 'WARNING'], [60, 'ERRORED'])
    const html = scorePlot({ scores, passes: { success: 90, warning: 80 } })
    // From 50 to 100, in 72 pixels.
    expect(heights(html)).toEqual([
      ...[
        [14, '#e3f4e6'],
        [15, '#fdf3d3'],
        [43, '#fbe4e4'],
      ],
      ...[[72, '#2f855a']],
      ...[
        [14, '#e3f4e6'],
        [8, '#fdf3d3'],
        [50, '#b7791f'],
      ],
      ...[
        [14, '#e3f4e6'],
        [15, '#fdf3d3'],
        [29, '#fbe4e4'],
        [14, '#c53030'],
      ],
    ])
    const text = 'Scores of the last 3 runs: 100, 85, 60 (successful from 90, warning from 80).'
    expect(html).toContain(`aria-label="${text}"`)
    expect(html).toContain('2026-11-10 to 2026-11-12')
    expect(scoreText({ scores, passes: null })).toBe('Scores of the last 3 runs: 100, 85, 60.')
  })

  it('given one run, a score of 0, or one just below 100, then it is still a bar, and never rounded up', () => {
    const only = { scores: scoresOf([0, 'ERRORED']), passes: null }
    expect(heights(scorePlot(only))).toEqual([
      ...[
        [72, '#f1f1f1'],
        [70, '#f1f1f1'],
        [2, '#c53030'],
      ],
    ])
    expect(scoreText({ scores: scoresOf([99.9999, 'SUCCESSFUL']), passes: null })).toBe('Score of the run: 99.99.')
  })

  it('given as many scores as are kept, then the plot is small', () => {
    const scores = scoresOf(...Array.from({ length: 20 }, (_, n): [number, string] => [n * 5, 'WARNING']))
    expect(scorePlot({ scores, passes: { success: 90, warning: 80 } }).length).toBeLessThan(12_000)
  })
})
