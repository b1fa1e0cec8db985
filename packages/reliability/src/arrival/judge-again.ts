import { moreSensitive, sensitivitiesIn } from '../anomaly/judge-anomaly.ts'
import { compareExact, type Exact, exactOf } from '../exact.ts'
import { judgeByHistory } from '../history.ts'
import type { Steps } from '../kinds/steps.ts'
import { exactOfFigure } from '../series/figure.ts'
import type { JudgedPoint } from '../series/judged-point.ts'
import type { History } from '../series/look-back.ts'
import { type Comparing, judge, rangeOf } from '../threshold.ts'
import { type Duration, earlierBy } from '../times.ts'
import type { HistoryBefore, JudgedAgain, PastRun } from '../what-if/past-run.ts'
import type { ArrivalPolicy } from './definition.ts'
import { type NumberItem, thresholdOf } from './numbers.ts'

/** An item whose numbers can be judged again. `maxAge`: the limit of its age, in freshness policies. */
interface PastItem extends NumberItem {
  maxAge?: Duration | null
  /** Whether an inferred clock judges the item. Then stored values do not say when it would have fired. */
  hasClock: boolean
}

/** Judges the numbers of an earlier run again, by the limits and thresholds of this policy. Pure. */
export function* judgeArrivalAgain(
  policy: ArrivalPolicy,
  items: readonly PastItem[],
  { startedAt, judged }: PastRun,
  before: HistoryBefore,
): Steps<JudgedAgain[]> {
  const points: JudgedAgain[] = []
  for (const point of judged) {
    const item = items.find(({ id }) => id === point.itemId)
    if (item === undefined) continue
    points.push(item.hasClock ? point : pointAgain(policy, item, point, { at: Date.parse(startedAt), before }))
    yield
  }
  return points
}

function pointAgain(
  policy: ArrivalPolicy,
  item: PastItem,
  point: JudgedPoint,
  { at, before }: { at: number; before: HistoryBefore },
): JudgedAgain {
  const value = exactOfFigure(point.value)
  if (item.maxAge != null) return { ...point, ...byAge(value, (at - earlierBy(at, item.maxAge)) / 1000) }
  const read = thresholdOf(item, policy)
  if ('problem' in read) return point
  if ('threshold' in read)
    return { ...point, ...rangeOf(read.threshold), fired: judge(value, read.threshold) !== 'SUCCESSFUL' }
  return { ...point, ...byHistory(value, read.comparing, before(point.key)) }
}

function byAge(age: Exact, limit: number): Pick<JudgedPoint, 'lower' | 'upper' | 'fired'> {
  return { lower: null, upper: limit, fired: compareExact(age, exactOf(limit)) > 0 }
}

function byHistory(
  value: Exact,
  threshold: Comparing,
  history: History,
): Pick<JudgedAgain, 'lower' | 'upper' | 'fired' | 'sensitivity'> {
  const { range, verdict } = judgeByHistory(value, threshold, history, 'NUMBER')
  const found = { ...range, fired: verdict !== 'SUCCESSFUL' }
  if (threshold.type !== 'ANOMALY') return found
  return { ...found, sensitivity: moreSensitive(sensitivitiesIn(threshold)) }
}
