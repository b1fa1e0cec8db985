import { detect, limits, type Reading, type Sensitivity } from '@assay/reliability'
import { type Generated, type SeriesKind, shiftDay } from './generated.ts'
import type { Judge } from './peers.ts'
import { type Random, randomFrom } from './random.ts'

export interface Setup {
  kind: SeriesKind
  seed: number
  /** Number of series. */
  series: number
  days: number
}

const minHistory = 7

export const assay =
  (sensitivity: Sensitivity): Judge =>
  (history, tested, figure) => {
    const detection = detect(history, tested, figure)
    return detection && Math.abs(detection.score) > limits[sensitivity]
  }

/** Turns a value into a faulty one. */
export type Fault = (value: number) => number
export const drop30: Fault = (value) => Math.round(value * 0.7)
export const drop50: Fault = (value) => Math.round(value * 0.5)
export const double: Fault = (value) => value * 2
export const triple: Fault = (value) => value * 3

/** The values that a threshold looks back at: of fourteen weeks, at most 700. */
function before({ perDay }: SeriesKind, readings: readonly Reading[], index: number): Reading[] {
  return readings.slice(Math.max(0, index - Math.min(98 * perDay, 700)), index)
}

function generated({ kind, seed, series, days }: Setup): { random: Random; all: Generated[] } {
  const random = randomFrom(seed)
  return { random, all: Array.from({ length: series }, () => kind.make(random, days)) }
}

/** The share of fault-free values that fire, for one series and day. Unusual places are left out. */
export function falseAlarms(setup: Setup, judge: Judge, from = minHistory, to = Number.POSITIVE_INFINITY): number {
  const { kind } = setup
  let [alarms, judged] = [0, 0]
  for (const { readings, unusual } of generated(setup).all) {
    for (const [index, tested] of readings.entries()) {
      if (index < from || index >= to || unusual.has(index)) continue
      judged += 1
      if (judge(before(kind, readings, index), tested, kind.figure)) alarms += 1
    }
  }
  return (alarms / judged) * kind.perDay
}

/**
 * The share of single-value faults that fire immediately. The history has at least 60 days, or 30 days of hourly values.
 */
export function found(setup: Setup, judge: Judge, fault: Fault): number {
  const { kind } = setup
  const from = kind.perDay === 1 ? 60 : 30 * kind.perDay
  let [hits, judged] = [0, 0]
  for (const { readings, unusual } of generated(setup).all) {
    for (const [index, tested] of readings.entries()) {
      if (index < from || unusual.has(index)) continue
      judged += 1
      if (judge(before(kind, readings, index), { ...tested, value: fault(tested.value) }, kind.figure)) hits += 1
    }
  }
  return hits / judged
}

/** The share of single-value faults that fire as the eleventh value, after two values that were seven times too high. */
export function foundAfterFaults(setup: Setup, judge: Judge, fault: Fault): number {
  const hits = generated(setup).all.filter(({ readings }) => {
    const before = readings.slice(0, 10).map((one, index) => (index < 8 ? one : { ...one, value: one.value * 7 }))
    const tested = readings[10]
    return tested && judge(before, { ...tested, value: fault(tested.value) }, setup.kind.figure)
  })
  return hits.length / setup.series
}

/** For faults of three days in half of the series: precision, recall, and the days until an alarm. */
export function precision(setup: Setup, judge: Judge, fault: Fault) {
  const { kind } = setup
  const { random, all } = generated(setup)
  let [right, alarms, hits, delay, faults] = [0, 0, 0, 0, 0]
  for (const { readings } of all) {
    const first = random.uniform() < 0.5 ? 60 + Math.floor(random.uniform() * 50) : Number.POSITIVE_INFINITY
    const isFaulty = (index: number) => index >= first && index < first + 3
    const given = readings.map((one, index) => (isFaulty(index) ? { ...one, value: fault(one.value) } : one))
    const fired = given.flatMap((tested, index) =>
      index >= 60 && index < first + 3 && judge(before(kind, given, index), tested, kind.figure) ? [index] : [],
    )
    const [firstRight] = fired.filter(isFaulty)
    alarms += fired.length
    right += fired.filter(isFaulty).length
    if (Number.isFinite(first)) faults += 1
    if (firstRight !== undefined) [hits, delay] = [hits + 1, delay + firstRight - first]
  }
  return { precision: right / alarms, recall: hits / faults, delay: delay / hits }
}

/**
 * After a lasting shift: the share of series in which it is found immediately, the alarms per series, the share of series
 * that propose a new normal, and the day on which they do.
 */
export function afterShift(setup: Setup, sensitivity: Sensitivity) {
  const { kind, series } = setup
  let [atOnce, alarms, proposals, proposedAfter] = [0, 0, 0, 0]
  for (const { readings } of generated(setup).all) {
    const fired = Array.from({ length: 14 }, (_, index) => shiftDay + index).flatMap((day) => {
      const tested = readings[day]
      const detection = tested && detect(before(kind, readings, day), tested, kind.figure)
      if (detection === undefined || Math.abs(detection.score) <= limits[sensitivity]) return []
      return [{ day, isNewLevel: detection.isNewLevel(sensitivity) }]
    })
    const proposed = fired.find(({ isNewLevel }) => isNewLevel)
    alarms += fired.length
    if (fired[0]?.day === shiftDay) atOnce += 1
    if (proposed !== undefined)
      [proposals, proposedAfter] = [proposals + 1, proposedAfter + proposed.day - shiftDay + 1]
  }
  return {
    atOnce: atOnce / series,
    alarms: alarms / series,
    proposed: proposals / series,
    day: proposedAfter / proposals,
  }
}
