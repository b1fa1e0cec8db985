import type { Sensitivity } from '../anomaly/sensitivity.ts'
import type { EndedItem } from '../kinds/run-kind.ts'
import type { JudgedPoint } from '../series/judged-point.ts'
import type { History } from '../series/look-back.ts'
import type { SeriesKey } from '../series/series-key.ts'

/** An earlier run, as its result stores it. `judged`: its points with the verdicts of that time. */
export interface PastRun {
  executionId: number
  /** ISO 8601 UTC. */
  startedAt: string
  outcomes: readonly EndedItem[]
  judged: readonly JudgedPoint[]
}

/**
 * What a value belongs to: a run, or a period, given by its end in epoch milliseconds. Several runs may measure one
 * period.
 */
export type Origin = { executionId: number } | { periodEnd: number }

/** Values that are not judged again; later values have them in their history. `at`: epoch milliseconds. */
export type EarlierValues = Origin & { at: number; points: Readonly<Record<SeriesKey, string>> }

/** A point of an earlier run, judged by another definition. `sensitivity`: the detector's, if the detector judged. */
export interface JudgedAgain extends JudgedPoint {
  sensitivity?: Sensitivity
}

/** The history of a series before a run. */
export type HistoryBefore = (key: SeriesKey | null) => History
