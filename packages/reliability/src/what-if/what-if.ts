import type { Feedback } from '@assay/contracts'
import { expectedOf } from '../anomaly/expected-alarms.ts'
import type { Sensitivity } from '../anomaly/sensitivity.ts'
import type { KindPolicy } from '../kinds/run-kind.ts'
import type { Steps } from '../kinds/steps.ts'
import type { JudgedPoint } from '../series/judged-point.ts'
import type { History } from '../series/look-back.ts'
import type { SeriesKey } from '../series/series-key.ts'
import { type GrowingHistory, growingHistory } from './growing-history.ts'
import type { PastRun } from './past-run.ts'

/** A run with its points as a definition would have judged them. */
export interface RunJudgedAgain {
  run: PastRun
  points: readonly JudgedPoint[]
}

export interface WhatIf {
  /** Oldest first. */
  runs: RunJudgedAgain[]
  /** Null if the detector judges none of the series. */
  expectedFalseAlarmsPerMonth: number | null
}

/**
 * How a definition would have judged earlier runs, with the feedback on them. `runs`: ascending by time; those before
 * `from` (epoch milliseconds) are only history. Pauses after each point. Pure.
 */
export function* whatIf(
  policy: Pick<KindPolicy, 'judgeAgain'>,
  runs: readonly PastRun[],
  { from, markOf }: { from: number; markOf(executionId: number, key: SeriesKey): Feedback | undefined },
): Steps<WhatIf> {
  const series = new Map<SeriesKey, GrowingHistory>()
  const detected = new Map<SeriesKey, { sensitivity: Sensitivity; history: History }>()
  const found: RunJudgedAgain[] = []
  for (const run of runs) {
    const at = Date.parse(run.startedAt)
    const before = (key: SeriesKey | null): History =>
      (key === null ? undefined : series.get(key)?.before(at)) ?? { now: at, days: [] }
    if (at >= from) {
      const judged = yield* policy.judgeAgain(run, before)
      found.push({ run, points: judged.map(({ sensitivity: _, ...point }) => point) })
      for (const { key, sensitivity } of judged)
        if (key !== null && sensitivity !== undefined) detected.set(key, { sensitivity, history: before(key) })
    }
    for (const { key, value } of run.judged) {
      if (key === null) continue
      const history = series.get(key) ?? growingHistory()
      series.set(key, history)
      const mark = markOf(run.executionId, key)
      if (mark === 'NEW_NORMAL') history.restart()
      if (mark !== 'ANOMALY') history.add({ at, value, ...(mark === 'NORMAL' ? { isConfirmed: true as const } : {}) })
    }
  }
  const alarms = [...detected.values()].map(({ sensitivity, history }) => expectedOf(sensitivity, [history]))
  const expected = alarms.length === 0 ? null : alarms.reduce((sum, one) => sum + one, 0)
  return { runs: found, expectedFalseAlarmsPerMonth: expected === null ? null : Number(expected.toPrecision(3)) }
}
