import type { Reading } from '@assay/reliability'
import type { Figure } from './generated.ts'

/** Whether a value fires, by its history; `undefined` if the history is too short. */
export type Judge = (history: readonly Reading[], tested: Reading, figure: Figure) => boolean | undefined

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
function deviation(values: readonly number[]): number {
  const middle = mean(values)
  return Math.sqrt(values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (values.length - 1))
}
function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const half = sorted.length >> 1
  const upper = sorted[half] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] ?? Number.NaN) + upper) / 2
}
const valuesOf = (readings: readonly Reading[]) => readings.map(({ value }) => value)

/** Elementary's z-score: the tested value is part of the training unless `isExcluded`. */
function zScore(training: readonly Reading[], tested: Reading, isExcluded = false): boolean {
  const values = valuesOf(isExcluded ? training : [...training, tested])
  return Math.abs(tested.value - mean(values)) / deviation(values) > 3
}
const sameWeekday =
  ({ at }: Reading) =>
  (one: Reading) =>
    new Date(one.at).getUTCDay() === new Date(at).getUTCDay()

/** 14 days, sensitivity 3 (get_anomaly_scores_query.sql). */
const elementary: Judge = (history, tested) => zScore(history.slice(-13), tested)
const elementaryExcluded: Judge = (history, tested) => zScore(history.slice(-14), tested, true)
/** With seasonality day_of_week the window is seven times as long. */
const elementaryWeekday: Judge = (history, tested) => zScore(history.slice(-97).filter(sameWeekday(tested)), tested)

/** The 0.99975 quantile of Student's t with five degrees of freedom: half of 0.05 %. */
const t5 = 7.9757

/** The free edition: 90 values, at least 30; halves about the median of ratios (anomaly_detection.py). */
const dqops: Judge = (history, tested) => {
  const values = valuesOf(history.slice(-90))
  if (values.length < 30) return undefined
  const middle = median(values)
  const isRatio = middle > 0 && tested.value >= 0 && values.every((value) => value > 0)
  const scaled = (value: number) => (isRatio ? value / middle - 1 : value)
  const all = values.map(scaled)
  const centre = median(all)
  const [upper, lower] = [all.filter((value) => value >= centre), all.filter((value) => value <= centre)]
  const judged = scaled(tested.value)
  return judged > median(upper) + t5 * deviation(upper) || judged < median(lower) - t5 * deviation(lower)
}

/** OnlineNormal: running mean and deviation without anomalies, 3 sigma, the first tenth ignored. */
const deequOnline: Judge = (history, tested) => {
  const all = [...history, tested]
  let [count, middle, squares] = [0, 0, 0]
  for (const [index, { value }] of all.entries()) {
    const [before, spread] = [middle, squares]
    count += 1
    middle += (value - middle) / count
    squares += (value - before) * (value - middle)
    const sigma = Math.sqrt(squares / count)
    const fires = index >= all.length / 10 && (value > middle + 3 * sigma || value < middle - 3 * sigma)
    if (index === all.length - 1) return fires
    if (fires) [count, middle, squares] = [count - 1, before, spread]
  }
  return undefined
}

/** Additive Holt-Winters with a period of 7; the band is 1.96 deviations of the absolute residuals. */
const deequHoltWinters: Judge = (history, tested) => {
  if (history.length < 14) return undefined
  const values = valuesOf(history)
  let best = { error: Number.POSITIVE_INFINITY, forecast: 0, residuals: [0] }
  // A grid in place of L-BFGS-B.
  for (const alpha of [0.05, 0.1, 0.2, 0.3, 0.5, 0.8])
    for (const beta of [0, 0.01, 0.05, 0.1])
      for (const gamma of [0, 0.05, 0.1, 0.3, 0.6]) {
        const fit = holtWinters(values, { alpha, beta, gamma })
        if (fit.error < best.error) best = fit
      }
  return Math.abs(tested.value - best.forecast) > 1.96 * deviation(best.residuals.map(Math.abs))
}

function holtWinters(values: readonly number[], { alpha, beta, gamma }: Record<'alpha' | 'beta' | 'gamma', number>) {
  const period = 7
  const first = mean(values.slice(0, period))
  let level = first
  let trend = (mean(values.slice(period, 2 * period)) - first) / period
  const season = values.slice(0, period).map((value) => value - first)
  const residuals: number[] = []
  let error = 0
  for (const [index, value] of values.entries()) {
    const phase = index % period
    const seasonal = season[phase] ?? 0
    const residual = value - (level + trend + seasonal)
    residuals.push(residual)
    error += residual ** 2
    const before = level
    level = alpha * (value - seasonal) + (1 - alpha) * (level + trend)
    trend = beta * (level - before) + (1 - beta) * trend
    season[phase] = gamma * (value - before - trend) + (1 - gamma) * seasonal
  }
  return { error, residuals, forecast: level + trend + (season[values.length % period] ?? 0) }
}

/** The published formulas of other products, implemented again. Baselines only. */
export const peers: Readonly<Record<string, Judge>> = {
  'Elementary, defaults': elementary,
  'Elementary, tested value excluded': elementaryExcluded,
  'Elementary, day_of_week': elementaryWeekday,
  'DQOps, free edition': dqops,
  'Deequ OnlineNormal': deequOnline,
  'Deequ Holt-Winters': deequHoltWinters,
}
