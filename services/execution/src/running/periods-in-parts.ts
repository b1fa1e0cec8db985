import type { CallLimits, DataEngine, MeasureCall, MeasuredPeriods, Metric, PeriodPlan } from '@assay/data-engine'
import type { FoundPeriods } from '@assay/reliability'
import { isAssayError, messageOf } from '@assay/service-kit/errors'

/** Each statement that needs too much memory has read a part of the table in vain. */
const maxStatements = 64

/** The periods as they were measured, in one statement or in several. */
export interface PeriodsInParts
  extends Omit<MeasuredPeriods, 'periods'>,
    Pick<FoundPeriods, 'periods' | 'problem' | 'leftOut'> {}

/**
 * Measures metrics by period. If one statement for all of them needs too much memory, each half gets its own statement,
 * and so on, until a single metric does not fit and is left out. The statements use at most half of the time limit; the
 * metrics that then remain are left out, too. Periods are optional: an impossible plan gives a `problem`.
 */
export async function periodsInParts(
  engine: Pick<DataEngine, 'measurePeriods'>,
  plan: PeriodPlan,
  options: MeasureCall & { limits: CallLimits },
  now = () => performance.now(),
): Promise<PeriodsInParts> {
  const { limits } = options
  const startedAt = now()
  const waiting: (readonly Metric[])[] = [plan.metrics]
  const parts: MeasuredPeriods[] = []
  const leftOut = new Map<number, string>()
  let [statements, reason] = [0, '']
  const leaveOut = (metrics: readonly Metric[], why: string) => {
    for (const { id } of metrics) leftOut.set(id, why)
  }
  const measure = async (metrics: readonly Metric[]) => {
    statements += 1
    // Later statements leave a quarter of the time to the run, which succeeds without the periods.
    const share = statements === 1 ? 1 : 0.75
    const timeoutMs = Math.max(1, Math.round(limits.timeoutMs * share - (now() - startedAt)))
    return engine.measurePeriods({ ...plan, metrics }, { ...options, limits: { ...limits, timeoutMs } })
  }
  for (let metrics = waiting.shift(); metrics !== undefined; metrics = waiting.shift()) {
    if (statements > 0 && (statements >= maxStatements || now() - startedAt > limits.timeoutMs / 2)) {
      leaveOut(metrics, reason)
      continue
    }
    try {
      const part = await measure(metrics)
      if (haveSameRows(parts[0], part)) parts.push(part)
      else leaveOut(metrics, 'The rows changed during the run.')
    } catch (error) {
      if (isAssayError(error, 'timeout') && statements > 1) {
        leaveOut([...metrics, ...waiting.splice(0).flat()], messageOf(error))
        continue
      }
      if (!isAssayError(error, 'too-large') && !isAssayError(error, 'invalid')) throw error
      reason = messageOf(error)
      if (isAssayError(error, 'invalid')) return { ...noPeriods(now() - startedAt), problem: reason }
      const middle = metrics.length >> 1
      if (middle > 0) waiting.unshift(metrics.slice(0, middle), metrics.slice(middle))
      else leaveOut(metrics, reason)
      // The number of rows needs no metric.
      if (waiting.length === 0 && parts.length === 0 && metrics.length > 0) waiting.push([])
    }
  }
  if (parts.length === 0) return { ...noPeriods(now() - startedAt), problem: reason }
  return joined(parts, leftOut, now() - startedAt)
}

const noPeriods = (elapsedMs: number) => ({
  periods: [],
  warnings: { total: 0, first: [] },
  touched: [],
  elapsedMs: Math.round(elapsedMs),
})

/** Figures such as the percentage of values are shares of the rows, so all parts must have read the same rows. */
const haveSameRows = (first: MeasuredPeriods | undefined, part: MeasuredPeriods): boolean =>
  first === undefined || first.periods.every(({ rows }, index) => rows === part.periods[index]?.rows)

/** The metrics of all parts, by period. */
function joined(parts: readonly MeasuredPeriods[], leftOut: ReadonlyMap<number, string>, spentMs: number) {
  const [first = { ...noPeriods(spentMs), hasOlder: undefined }] = parts
  return {
    periods: first.periods.map(({ rows }, index) => ({
      rows,
      metrics: parts.flatMap(({ periods }) => periods[index]?.metrics ?? []),
    })),
    ...(first.hasOlder === undefined ? {} : { hasOlder: first.hasOlder }),
    warnings: first.warnings,
    touched: parts.flatMap(({ touched }) => touched),
    elapsedMs: parts.length === 1 && leftOut.size === 0 ? first.elapsedMs : Math.round(spentMs),
    ...(leftOut.size === 0 ? {} : { leftOut }),
  }
}
