import type { SeriesPoint } from '@assay/contracts'
import { expect } from 'vitest'
import type { HttpClient } from './client.ts'

interface WhatIfAnswer {
  points: SeriesPoint[]
  firedCount: number
  expectedFalseAlarmsPerMonth: number | null
  runs: number
  next: string | null
}

/**
 * When a policy with these changes would have fired. `path`: the path of the policy. First checks that without changes,
 * the answer has the verdicts of the runs.
 */
export async function askWhatIf(client: HttpClient, path: string, changes: object): Promise<WhatIfAnswer> {
  const series = await client.good('GET', `${path}/series`)
  const same: WhatIfAnswer = await client.good('POST', `${path}/what-if`, {})
  expect(same.points).toEqual(series.points)
  expect(same.firedCount).toBe(same.points.filter(({ fired }) => fired).length)
  return client.good('POST', `${path}/what-if`, changes)
}
