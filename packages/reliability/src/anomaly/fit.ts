import { levelsOf, type Times } from './level.ts'
import { median, medianWithout, valueAt } from './medians.ts'
import { hourOfDay, minCycles, type Season, type SeasonName, seasons } from './seasons.ts'
import { limits } from './sensitivity.ts'
import { normalMad } from './spread.ts'

/** The prediction of a series for one time, on its scale. */
export interface Fit {
  season: SeasonName
  expected: number
  /** The distance of each value from its prediction. */
  residuals: Float64Array
  /** The number of phases with values. */
  phases: number
  /** The mean distance of each value from a prediction by the other values, without the farthest 5 %. */
  loss: number
}

/** A season is chosen if its loss is below this share of the loss of a simpler season. */
const betterBy = 0.8
const farthest = 0.05

/**
 * The best fit of the values (on their scale) for the time `now`: the level of the last two weeks and, if the values
 * themselves show one, a season. Seasons are compared by cross-validation: each value is predicted from the other
 * values of its phase, never from itself. A season needs at least three cycles that agree.
 */
export function bestFit(values: Float64Array, times: Times, now: number): Fit {
  const levels = levelsOf(values, times, now)
  let best = withoutSeason(values, levels)
  const isHourly = hasHours(times)
  for (const season of seasons) {
    if (season.isHourly && !isHourly) continue
    const fit = withSeason(values, { times, now, levels }, season)
    if (fit !== undefined && fit.loss < best.loss * betterBy) best = fit
  }
  return best
}

function hasHours({ at }: Times): boolean {
  const first = hourOfDay(valueAt(at, 0))
  return at.some((time) => hourOfDay(time) !== first)
}

function withoutSeason(values: Float64Array, levels: Float64Array): Fit {
  const distances = new Float64Array(values.length)
  for (let index = 0; index < values.length; index += 1)
    distances[index] = valueAt(values, index) - valueAt(levels, index)
  const centre = median(distances)
  return {
    season: 'NONE',
    expected: valueAt(levels, values.length) + centre,
    phases: 1,
    loss: lossOf(distances, centre),
    residuals: centred(distances, centre),
  }
}

/** Subtracts the centre from each distance, in place. */
function centred(distances: Float64Array, centre: number): Float64Array {
  for (let index = 0; index < distances.length; index += 1) distances[index] = valueAt(distances, index) - centre
  return distances
}

interface Given {
  times: Times
  now: number
  /** The levels of the values, before a season is removed from them. */
  levels: Float64Array
}

/**
 * The fit with a season; `undefined` if there are fewer than three cycles, if fewer than three values of the phase of
 * `now` agree, or if only one phase has values.
 */
function withSeason(values: Float64Array, { times, now, levels }: Given, season: Season): Fit | undefined {
  const { at } = times
  if (now - valueAt(at, 0) < minCycles * season.cycleMs) return undefined
  const byPhase = groupByPhase(values, at, levels, season)
  const tested = byPhase.groups[season.phaseOf(now)]
  if (byPhase.known < 2 || tested === undefined || tested.length < minCycles) return undefined
  const { groups, phases } = byPhase
  const offsets = new Float64Array(groups.length)
  for (const [phase, group] of groups.entries()) offsets[phase] = group.length === 0 ? 0 : medianOf(group)
  // Loops instead of `map`: calling a function for each value took a fifth of the time.
  const even = new Float64Array(values.length)
  for (let index = 0; index < values.length; index += 1)
    even[index] = valueAt(values, index) - valueAt(offsets, valueAt(phases, index))
  const evenLevels = levelsOf(even, times, now)
  const [distances, blind] = [even, new Float64Array(values.length)]
  for (let index = 0; index < values.length; index += 1) {
    const phase = valueAt(phases, index)
    const distance = valueAt(even, index) - valueAt(evenLevels, index)
    const others = medianWithout(groups[phase] ?? noValues, valueAt(values, index) - valueAt(levels, index))
    distances[index] = distance
    blind[index] = distance + valueAt(offsets, phase) - (Number.isNaN(others) ? 0 : others)
  }
  const centre = median(distances)
  const isOfPhase = (_: number, index: number) => valueAt(phases, index) === season.phaseOf(now)
  centred(distances, centre)
  if (tested.length < 2 * minCycles && agreeing(distances, isOfPhase) < minCycles) return undefined
  return {
    season: season.name,
    expected: valueAt(evenLevels, values.length) + medianOf(tested) + centre,
    phases: byPhase.known,
    loss: lossOf(blind, centre),
    residuals: distances,
  }
}

/** The number of some residuals that are as small as most residuals of the series. */
function agreeing(residuals: Float64Array, isSome: (residual: number, index: number) => boolean): number {
  const limit = limits.MEDIUM * normalMad * median(residuals.map(Math.abs))
  return residuals.filter(isSome).filter((residual) => Math.abs(residual) <= limit).length
}

const noValues = new Float64Array()
const medianOf = (sorted: Float64Array) =>
  (valueAt(sorted, (sorted.length - 1) >> 1) + valueAt(sorted, sorted.length >> 1)) / 2

/** The distances from the level in each phase, ascending. `known`: the phases that have values. */
function groupByPhase(values: Float64Array, at: Float64Array, levels: Float64Array, season: Season) {
  const phases = new Float64Array(at.length)
  for (let index = 0; index < at.length; index += 1) phases[index] = season.phaseOf(valueAt(at, index))
  const ends = new Uint32Array(season.phases)
  for (const phase of phases) ends[phase] = (ends[phase] ?? 0) + 1
  let [sum, known] = [0, 0]
  for (let phase = 0; phase < season.phases; phase += 1) {
    const count = ends[phase] ?? 0
    if (count > 0) known += 1
    ends[phase] = sum
    sum += count
  }
  const all = new Float64Array(values.length)
  for (let index = 0; index < values.length; index += 1) {
    const phase = valueAt(phases, index)
    const target = ends[phase] ?? 0
    all[target] = valueAt(values, index) - valueAt(levels, index)
    ends[phase] = target + 1
  }
  // Each phase now ends where the next one begins.
  const groups = Array.from(ends, (end, phase) => all.subarray(phase === 0 ? 0 : ends[phase - 1], end).sort())
  return { phases, groups, known }
}

function lossOf(distances: Float64Array, centre: number): number {
  const sorted = new Float64Array(distances.length)
  for (let index = 0; index < distances.length; index += 1) sorted[index] = Math.abs(valueAt(distances, index) - centre)
  sorted.sort()
  const kept = sorted.length - Math.floor(sorted.length * farthest)
  let sum = 0
  for (let index = 0; index < kept; index += 1) sum += valueAt(sorted, index)
  return sum / kept
}
