import type { Feedback } from '@assay/contracts'
import { expectedOf } from '../anomaly/expected-alarms.ts'
import type { KindPolicy } from '../kinds/run-kind.ts'
import type { Steps } from '../kinds/steps.ts'
import type { JudgedPoint } from '../series/judged-point.ts'
import type { History } from '../series/look-back.ts'
import type { SeriesKey } from '../series/series-key.ts'
import { type GrowingHistory, growingHistory } from './growing-history.ts'
import { momentsOf } from './moments.ts'
import type { EarlierValues, Origin, PastRun } from './past-run.ts'

/** A run with its points of one time, as another definition would have judged them. */
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

interface Given {
  /** Values before those of `runs` in each series, ascending by time. They only serve as history. */
  earlier: readonly EarlierValues[]
  markOf(of: Origin, key: SeriesKey): Feedback | undefined
  /** The zone of the table, whose days and hours are the seasons. Null means UTC. */
  timeZone: string | null
}

/**
 * How a definition would have judged earlier runs, with the feedback on them. `runs`: ascending by time. Pauses after
 * each point. Pure.
 */
export function* whatIf(
  policy: Pick<KindPolicy, 'judgeAgain'>,
  runs: readonly PastRun[],
  { earlier, markOf, timeZone }: Given,
): Steps<WhatIf> {
  const series = new Map<SeriesKey, GrowingHistory>()
  const zone = timeZone === null ? {} : { timeZone }
  const add = (of: Origin, at: number, key: SeriesKey, value: string) => {
    const history = series.get(key) ?? growingHistory()
    series.set(key, history)
    const mark = markOf(of, key)
    if (mark === 'NEW_NORMAL') history.restart()
    if (mark !== 'ANOMALY') history.add({ at, value, ...(mark === 'NORMAL' ? { isConfirmed: true as const } : {}) })
  }
  for (const values of earlier) {
    for (const [key, value] of Object.entries(values.points)) add(values, values.at, key, value)
    yield
  }
  const alarms = new Map<SeriesKey, number>()
  const found: RunJudgedAgain[] = []
  for (const { run, at: now, of } of yield* momentsOf(runs)) {
    const before = (key: SeriesKey | null): History => ({
      now,
      ...zone,
      ...((key === null ? undefined : series.get(key)?.before(now)) ?? { days: [] }),
    })
    const judged = yield* policy.judgeAgain(run, before)
    found.push({ run, points: judged.map(({ sensitivity: _, ...point }) => point) })
    for (const { key, sensitivity } of judged) {
      if (key === null) continue
      // The newest judgement of a series counts.
      if (sensitivity === undefined) alarms.delete(key)
      else alarms.set(key, expectedOf(sensitivity, [before(key)]))
    }
    for (const { key, value } of run.judged) if (key !== null) add(of, now, key, value)
  }
  const expected = [...alarms.values()].reduce((sum, one) => sum + one, 0)
  return { runs: found, expectedFalseAlarmsPerMonth: alarms.size === 0 ? null : Number(expected.toPrecision(3)) }
}
