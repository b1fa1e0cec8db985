import type { Sensitivity } from '../anomaly/sensitivity.ts'
import type { EndedItem } from '../kinds/run-kind.ts'
import type { JudgedPoint } from '../series/judged-point.ts'
import type { History } from '../series/look-back.ts'
import type { SeriesKey } from '../series/series-key.ts'

/** An earlier run, as its result keeps it. `judged`: its points with the verdicts of that time. */
export interface PastRun {
  executionId: number
  /** ISO 8601 UTC. */
  startedAt: string
  outcomes: readonly EndedItem[]
  judged: readonly JudgedPoint[]
}

/** The values of a run that is not judged again, for the histories of later ones. `at`: epoch milliseconds. */
export interface EarlierRun {
  executionId: number
  at: number
  points: Readonly<Record<SeriesKey, string>>
}

/** A point of an earlier run, judged by another definition. `sensitivity`: that of the detector, if it judged. */
export interface JudgedAgain extends JudgedPoint {
  sensitivity?: Sensitivity
}

/** The history of a series before a run. */
export type HistoryBefore = (key: SeriesKey | null) => History
