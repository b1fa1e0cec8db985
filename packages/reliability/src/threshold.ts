import { type ItemRecord, shareProblem, type Threshold, threshold } from '@assay/contracts'
import { compareMeasured, exactOf, type Measured } from './exact.ts'
import { anyValue, type Range } from './series/judged-point.ts'
import { longestLookBackDays, longestLookBackRuns, type Window, windowMs, windowsOf } from './series/look-back.ts'
import { dayMs } from './series/series-day.ts'

export type Verdict = 'SUCCESSFUL' | 'WARNING' | 'ERRORED'

type Absolute = Extract<Threshold, { type: 'ABSOLUTE' }>
/** A threshold that compares a value with earlier ones. */
export type Comparing = Exclude<Threshold, Absolute>
export type ThresholdRecord = ItemRecord['thresholdConfig']

/** A parsed threshold, or the reason why it gives no verdict. */
export type ReadThreshold = { threshold: Absolute } | { comparing: Comparing } | { problem: string }

/** Parses a threshold: ABSOLUTE ones need no history; the other types compare with earlier runs. */
export function readThreshold(record: ThresholdRecord): ReadThreshold {
  const parsed = threshold.safeParse(record)
  if (!parsed.success) return { problem: `The threshold of type ${record.type} has no complete config.` }
  return parsed.data.type === 'ABSOLUTE' ? { threshold: parsed.data } : { comparing: parsed.data }
}

/** The threshold equivalent to a `resultThreshold`. */
export function thresholdOfPercentage(success: number): Absolute {
  return { type: 'ABSOLUTE', config: { direction: 'ABOVE', success, warning: undefined } }
}

/** The wire form: `type` and `config`, and also `success` and `warning`, which are null if the config has none. */
export function thresholdRecordOf(value: Threshold): ThresholdRecord {
  const { config } = value
  const kept = Object.fromEntries(Object.entries(config).filter(([, member]) => member != null))
  return {
    type: value.type,
    success: 'success' in config ? config.success : null,
    warning: 'warning' in config ? (config.warning ?? null) : null,
    config: kept,
    ...(value.type === 'RELATIVE' ? { operationalConfig: value.operationalConfig } : {}),
  }
}

/** Whether an item's threshold contains more than its `resultThreshold` can say. */
export function hasOwnThreshold(item: Pick<ItemRecord, 'thresholdConfig' | 'resultThreshold'>): boolean {
  const read = readThreshold(item.thresholdConfig)
  if (!('threshold' in read)) return true
  const { config } = read.threshold
  return config.direction !== 'ABOVE' || config.success !== item.resultThreshold || config.warning !== undefined
}

/**
 * ABOVE: the value must be at least `success`, else at least `warning`. BELOW: at most. RANGE: it must be within the
 * success bounds, else within the warning bounds; an absent warning bound equals the success bound of its side. NaN
 * never passes.
 */
export function judge(value: Measured, { config }: Absolute): Verdict {
  const atLeast = (limit: number) => (compareMeasured(value, exactOf(limit)) ?? -1) >= 0
  const atMost = (limit: number) => (compareMeasured(value, exactOf(limit)) ?? 1) <= 0
  switch (config.direction) {
    case 'ABOVE':
      if (atLeast(config.success)) return 'SUCCESSFUL'
      return config.warning !== undefined && atLeast(config.warning) ? 'WARNING' : 'ERRORED'
    case 'BELOW':
      if (atMost(config.success)) return 'SUCCESSFUL'
      return config.warning !== undefined && atMost(config.warning) ? 'WARNING' : 'ERRORED'
    case 'RANGE': {
      if (atLeast(config.lowerSuccess) && atMost(config.upperSuccess)) return 'SUCCESSFUL'
      const warns =
        (config.lowerWarning !== undefined || config.upperWarning !== undefined) &&
        atLeast(config.lowerWarning ?? config.lowerSuccess) &&
        atMost(config.upperWarning ?? config.upperSuccess)
      return warns ? 'WARNING' : 'ERRORED'
    }
    default:
      return config satisfies never
  }
}

/** The values for which the threshold succeeds. */
export function rangeOf({ config }: Absolute): Range {
  if (config.unit === 'ROWS') return anyValue
  switch (config.direction) {
    case 'ABOVE':
      return { lower: config.success, upper: null }
    case 'BELOW':
      return { lower: null, upper: config.success }
    case 'RANGE':
      return { lower: config.lowerSuccess, upper: config.upperSuccess }
    default:
      return config satisfies never
  }
}

/** Whether the threshold counts failed rows. */
export function countsRows(record: ThresholdRecord): boolean {
  const read = readThreshold(record)
  return 'threshold' in read && read.threshold.config.unit === 'ROWS'
}

function rowsProblem(config: Absolute['config']): { path: string; message: string } | undefined {
  if (config.unit !== 'ROWS') return undefined
  if (config.direction !== 'BELOW')
    return { path: 'config.direction', message: 'must be BELOW with unit ROWS: fewer failed rows are better' }
  const isCount = (limit: number | undefined) => limit === undefined || (Number.isSafeInteger(limit) && limit >= 0)
  const path = !isCount(config.success) ? 'config.success' : !isCount(config.warning) ? 'config.warning' : undefined
  return path && { path, message: 'must be a whole number of rows, 0 or more' }
}

/** Why a threshold for percentages is impossible or implausible, with the path of the field. Pure. */
export function percentageProblem(value: Threshold): { path: string; message: string } | undefined {
  if (value.type !== 'ABSOLUTE' || value.config.unit === 'ROWS') return undefined
  for (const [name, limit] of Object.entries(value.config)) {
    const message = typeof limit === 'number' ? percentageLimitProblem(limit) : undefined
    if (message !== undefined) return { path: `config.${name}`, message }
  }
  return undefined
}

/** Why a threshold for the score of a policy is impossible or implausible, with the path of the field. Pure. */
export function scoreThresholdProblem(value: Threshold): { path: string; message: string } | undefined {
  if (value.type === 'ABSOLUTE' && value.config.unit === 'ROWS')
    return { path: 'config.unit', message: 'ROWS is for items: the score of a policy is a percentage' }
  return percentageProblem(value)
}

const percentageLimitProblem = (limit: number): string | undefined =>
  limit < 0 || limit > 100 ? `must be a percentage from 0 to 100, not ${limit}` : shareProblem(limit)

/** Series are kept for 400 days, so a longer window would never give a verdict. */
function windowProblem(value: Comparing): { path: string; message: string } | undefined {
  if (value.type === 'ANOMALY') return undefined
  const message = `must not be longer than ${longestLookBackDays} days`
  const { success, warning } = windowsOf(value)
  const isTooLong = (window: Window | undefined) => ((window && windowMs(window)) ?? 0) > longestLookBackDays * dayMs
  // With fewer runs than its window, RELATIVE uses the existing runs, but TIME_BASED gives no verdict.
  if (value.type === 'TIME_BASED' && value.config.lookBackWindowType === 'RUNS') {
    const tooMany = `must not be more than ${longestLookBackRuns} runs`
    if (success.window > longestLookBackRuns) return { path: 'config.successLookBackWindow', message: tooMany }
    const isWarningTooLong = warning !== undefined && warning.window > longestLookBackRuns
    return isWarningTooLong ? { path: 'config.warningLookBackWindow', message: tooMany } : undefined
  }
  if (value.type === 'RELATIVE')
    return isTooLong(success) ? { path: 'operationalConfig.lookBack.window', message } : undefined
  if (isTooLong(success)) return { path: 'config.successLookBackWindow', message }
  return isTooLong(warning) ? { path: 'config.warningLookBackWindow', message } : undefined
}

/** Why a threshold can never be met, with the path of the field; `undefined` if it can. */
export function thresholdProblem(value: Threshold): { path: string; message: string } | undefined {
  if (value.type !== 'ABSOLUTE') return windowProblem(value)
  const { config } = value
  const unitProblem = rowsProblem(config)
  if (unitProblem !== undefined) return unitProblem
  switch (config.direction) {
    case 'ABOVE':
      return config.warning !== undefined && config.warning > config.success
        ? { path: 'config.warning', message: 'must not be above success: with ABOVE a higher value is better' }
        : undefined
    case 'BELOW':
      return config.warning !== undefined && config.warning < config.success
        ? { path: 'config.warning', message: 'must not be below success: with BELOW a lower value is better' }
        : undefined
    case 'RANGE':
      if (config.lowerSuccess > config.upperSuccess)
        return { path: 'config.lowerSuccess', message: 'must not be above upperSuccess' }
      if ((config.lowerWarning ?? config.lowerSuccess) > config.lowerSuccess)
        return {
          path: 'config.lowerWarning',
          message: 'must not be above lowerSuccess: the warning range is the wider one',
        }
      if ((config.upperWarning ?? config.upperSuccess) < config.upperSuccess)
        return {
          path: 'config.upperWarning',
          message: 'must not be below upperSuccess: the warning range is the wider one',
        }
      return undefined
    default:
      return config satisfies never
  }
}
