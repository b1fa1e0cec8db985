import { kindOf, type PastRun, whatIf } from '@assay/reliability'
import { randomFrom } from './detection/random.ts'
import type { BenchRow } from './ratio.ts'

const days = 730
const dayMs = 86_400_000
const start = Date.parse('2024-11-01T06:00:00Z')
const policyId = 7
const definition = {
  ...{ policyId, assetId: 11, filter: null, marker: null, timeoutMinutes: null, freshnessColumn: null },
  ...{ sensitivity: 'MEDIUM', items: [] },
  ...{ metrics: ['ROW_COUNT'], treatZeroRowsAsSuccess: false },
  score: {
    strategy: 'WEIGHTAGE',
    items: [],
    threshold: { type: 'ABSOLUTE', success: 100, warning: null },
    verdictBy: 'ITEMS',
  },
}

/** Two years of one series with a value a day, judged again by another sensitivity. */
export function whatIfRows(seed: number): BenchRow[] {
  const random = randomFrom(seed)
  const runs = Array.from({ length: days }, (_, day): PastRun => {
    const value = String(Math.round(10_000 * (1 + random.uniform() / 10)))
    const point = { itemId: policyId, metric: 'ROW_COUNT', columnName: null, key: 'rows', value }
    const judged = [{ ...point, lower: null, upper: null, fired: false }]
    return { executionId: day + 1, startedAt: new Date(start + day * dayMs).toISOString(), outcomes: [], judged }
  })
  const policy = kindOf('PROFILE_ANOMALY')?.open({ definition, shown: { items: [] } })(1)
  if (policy === undefined) throw new Error('Nothing runs profile anomaly policies.')
  const began = performance.now()
  const steps = whatIf(policy, runs, { earlier: [], markOf: () => undefined, timeZone: null })
  let [longest, last] = [0, began]
  while (steps.next().done !== true) {
    const now = performance.now()
    longest = Math.max(longest, now - last)
    last = now
  }
  const all = last - began
  return [
    {
      name: 'what-if: two years of daily values, of 1 s',
      ratio: all / 1000,
      target: '<= 1',
      detail: `${Math.round(all)} ms, at most ${longest.toFixed(1)} ms without a pause`,
    },
  ]
}
