import { exactOf } from '../exact.ts'
import type { ItemOutcome } from '../item-outcome.ts'
import type { Found, Histories, JudgedRun, RunGiven } from '../kinds/judging.ts'
import type { Steps } from '../kinds/steps.ts'
import type { ProfileState } from '../profiles/merge-columns.ts'
import { scorePolicy } from '../score-policy.ts'
import { keptFigure } from '../series/figure.ts'
import { type JudgedPoint, judgedPoints } from '../series/judged-point.ts'
import { type DataDriftItem, type DataDriftPolicy, runItems } from './definition.ts'
import type { DriftDetail } from './detail.ts'
import { comparable, type Measured, measured, type Unmeasured } from './measures.ts'
import { changeOf, typeChange } from './metrics.ts'
import { driftKey, limitOf } from './thresholds.ts'

/** The baseline of a run. `from`, `to`: its first and last run; `null` means that it is another asset. */
interface Baseline {
  state: ProfileState
  from: number | null
  to: number | null
}

/** Judges the drift of each item. Also returns the profile for later runs. Pure. */
export function* judgeDataDrift(
  policy: DataDriftPolicy,
  run: RunGiven,
  all: readonly Found[],
  past: Histories,
): Steps<JudgedRun> {
  const now = profileOf(all, 'ONE') ?? profileOf(all, 'LEFT') ?? { rows: 0, columns: [] }
  const baseline = baselineOf(run, all)
  const points: JudgedPoint[] = []
  const outcomeOfItem = (item: DataDriftItem): ItemOutcome => {
    if (now.rows === 0) return noRows(policy)
    const drift = baseline === undefined ? undefined : driftOf(item, now, baseline.state)
    if (baseline === undefined || drift === undefined) return learning(item, run, now.rows)
    if ('problem' in drift) return { ...nothing, rowsScanned: now.rows, error: drift.problem }
    const key = driftKey(policy, item, run)
    const figure = keptFigure(exactOf(drift.driftPercent))
    const history = key === undefined ? undefined : past.get(key)
    const outcome = outcomeOf(item, drift, { history, rows: now.rows, baseline })
    if (key !== undefined && figure !== undefined) points.push(driftPoint(item, outcome, { key, value: figure }))
    return outcome
  }
  const judged: { item: DataDriftItem; outcome: ItemOutcome }[] = []
  for (const item of runItems(policy, run.itemSelection)) {
    judged.push({ item, outcome: outcomeOfItem(item) })
    yield
  }
  const score = scorePolicy({
    strategy: policy.score.strategy,
    scoreItems: policy.score.items,
    thresholdLevel: policy.score.threshold,
    verdictBy: policy.score.verdictBy,
    outcomes: judged.map(({ item, outcome }) => ({
      ...{ name: item.name, weightage: item.weightage, isWarning: false },
      outcome,
    })),
  })
  return {
    outcomes: judged.map(({ item, outcome }) => ({ itemId: item.id, ...outcome })),
    qualityScore: score.qualityScore,
    verdict: score.verdict,
    scoreError: score.error,
    ...(run.executionType === 'SELECTIVE' ? {} : judgedPoints(points)),
    // A profile that lacks columns, or has no rows, cannot be a baseline.
    ...(run.itemSelection === null && now.rows > 0 ? { profile: now } : {}),
  }
}

/** The drift of an item in percent, and its threshold. Pure. */
export function driftPoint(
  { id, columnName, measure, metricType }: DataDriftItem,
  { detail, verdict }: DriftOutcome,
  of: Pick<JudgedPoint, 'key' | 'value'>,
): JudgedPoint {
  const range = { lower: null, upper: detail.threshold }
  return { itemId: id, metric: measure ?? metricType, columnName, ...of, ...range, fired: verdict !== 'SUCCESSFUL' }
}

type DriftOutcome = ItemOutcome & { detail: DriftDetail }

const nothing: ItemOutcome = {
  verdict: 'ERRORED',
  resultPercentage: null,
  rowsScanned: null,
  rowsFailed: null,
  value: null,
  error: null,
}

function profileOf(all: readonly Found[], side: 'ONE' | 'LEFT' | 'RIGHT'): ProfileState | undefined {
  return all.flatMap((found) => (found.kind === 'PROFILE' && found.side === side ? [found.state] : []))[0]
}

/** The baseline: the profile of the other asset, else that of earlier runs. */
function baselineOf({ baseline }: RunGiven, all: readonly Found[]): Baseline | undefined {
  const other = profileOf(all, 'RIGHT')
  return other === undefined ? baseline : { state: other, from: null, to: null }
}

interface Drift extends Omit<Measured, 'value'> {
  value: string
  referenceValue: string | null
  driftPercent: number
}

/** The drift of an item's column; `undefined` if the baseline does not have the column. */
function driftOf(item: DataDriftItem, now: ProfileState, before: ProfileState): Drift | Unmeasured | undefined {
  const { columnName, measure, metricType } = item
  const columnIn = ({ columns }: ProfileState) => columns.find(({ name }) => name === columnName)
  const [current, reference] = [columnIn(now), columnIn(before)]
  if (current === undefined) return { problem: `The asset no longer has the column '${columnName}'.` }
  if (reference === undefined) return undefined
  // Types can be compared even if values cannot.
  if (measure === null && metricType === 'DATA_TYPE') return { ...typeChange(reference, current), ...unbinned }
  const both = comparable(reference, current)
  if ('problem' in both) return both
  if (measure !== null) {
    const found = measured(measure, both)
    if ('problem' in found) return found
    return { ...found, value: String(found.value), referenceValue: null, driftPercent: rounded(100 * found.value) }
  }
  const change = changeOf(metricType, both)
  return 'problem' in change ? change : { ...change, driftPercent: rounded(change.driftPercent), ...unbinned }
}

const unbinned = { pValue: null, approximate: false, bins: [] }

const rounded = (percent: number) => Number(percent.toFixed(6))

function noRows({ treatZeroRowsAsSuccess }: DataDriftPolicy): ItemOutcome {
  return treatZeroRowsAsSuccess
    ? { ...nothing, verdict: 'SUCCESSFUL', resultPercentage: 100, rowsScanned: 0, note: 'There are no rows.' }
    : { ...nothing, rowsScanned: 0, error: 'There are no rows.' }
}

/** The outcome of the first run with a column, which has nothing to compare with. */
function learning(item: DataDriftItem, { executionType }: RunGiven, rows: number): ItemOutcome {
  const { threshold, thresholdBy, learned } = limitOf(item, 0, undefined)
  const detail: DriftDetail = {
    ...{ driftPercent: null, threshold, thresholdBy, referenceValue: null, ...unbinned },
    ...{ state: 'LEARNING', learned: learned ?? { points: 0, needed: 1 } },
    ...{ referenceProfileFrom: null, referenceProfileTo: null },
  }
  const note =
    executionType === 'SELECTIVE'
      ? 'A SELECTIVE run is not compared with earlier runs. Name an execution or another asset as the baseline.'
      : 'There is no baseline yet: later runs compare with this one.'
  return { ...nothing, verdict: 'SUCCESSFUL', resultPercentage: 100, rowsScanned: rows, note, detail }
}

function outcomeOf(
  item: DataDriftItem,
  drift: Drift,
  { history, rows, baseline }: { history: Parameters<typeof limitOf>[2]; rows: number; baseline: Baseline },
): DriftOutcome {
  const { value, driftPercent, referenceValue, pValue, approximate, bins } = drift
  const limit = limitOf(item, driftPercent, history)
  const fires = driftPercent > limit.threshold
  const detail: DriftDetail = {
    ...{ driftPercent, ...limit, referenceValue, pValue, approximate, bins, state: 'JUDGED' },
    ...{ referenceProfileFrom: baseline.from, referenceProfileTo: baseline.to },
  }
  return {
    ...nothing,
    verdict: fires ? 'ERRORED' : 'SUCCESSFUL',
    resultPercentage: fires ? 0 : 100,
    rowsScanned: rows,
    value,
    detail,
  }
}
