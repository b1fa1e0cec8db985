import { exactOf } from '../exact.ts'
import type { Found, Histories, JudgedRun, RunGiven } from '../kinds/judging.ts'
import type { Steps } from '../kinds/steps.ts'
import { type JudgedPoint, judgedPoints } from '../series/judged-point.ts'
import { instantText, parseInstant, secondsText } from '../times.ts'
import { judgeByClock } from './by-clock.ts'
import { figuresIn, measureOf } from './cadence-figures.ts'
import { type CadenceItem, cadenceItems } from './cadence-items.ts'
import type { ArrivalPolicy } from './definition.ts'
import { learningOf, noTime } from './findings.ts'
import { changeIn, figureName, learnedAfter, learnedBefore, tableArrivals } from './learned.ts'
import { judgeNumber, pointsOfNumber } from './numbers.ts'
import { endOfRun, noOutcome, type Outcome, passing } from './outcome.ts'

/** Compares the figures of a table with their usual values, item by item. Pure. */
export function* judgeCadence(
  policy: ArrivalPolicy,
  run: RunGiven,
  found: readonly Found[],
  past: Histories,
): Steps<JudgedRun> {
  const before = learnedBefore(run)
  const figures = figuresIn(found)
  const table = tableArrivals(before, changeIn(found), run.startedAt)
  const now: Record<string, number> = {}
  const points: JudgedPoint[] = []

  function byNumber(item: CadenceItem): Outcome | null {
    const measure = measureOf(item.measurementType)
    if (measure === undefined) return { ...noOutcome, error: `${item.measurementType} is not measured for this table.` }
    const present = measure.of(figures)
    if (present === null)
      return item.own === null
        ? null
        : { ...noOutcome, error: `The source does not say how many ${measure.what} there are.` }
    const name = figureName(measure.what, run)
    if (name !== undefined) now[name] = present
    const last = name === undefined ? undefined : before.figures[name]
    if (measure.isDrift && last === undefined) {
      const where = run.executionType === 'FULL' ? 'the table has' : 'this run found'
      const note = `There is no earlier run to compare with; ${where} ${present} ${measure.what}.`
      return { ...noOutcome, ...passing(true), note, detail: { ...noTime, ...learningOf(0, 1) } }
    }
    const number = measure.isDrift ? present - (last ?? 0) : present
    const value = exactOf(number)
    const finding = judgeNumber(value, item, { policy, run, past })
    points.push(...pointsOfNumber(value, item, finding, { policy, run }))
    const { detail, range: _, ...judged } = finding
    return { ...noOutcome, value: String(number), ...judged, detail: { ...noTime, ...detail } }
  }

  function byArrival(): Outcome | null {
    const newest = table === null ? undefined : parseInstant(table.newest)
    if (table === null || newest === undefined) return null
    const { detail, ...judged } = judgeByClock(table.times, policy.timeZone, run.startedAt)
    const age = BigInt(Date.parse(run.startedAt)) * 1000n - newest.micros
    const source = figures.change?.source ?? null
    const findings = { ...noTime, newestAt: instantText(newest), source, ...detail }
    return { ...noOutcome, value: secondsText(age < 0n ? 0n : age), ...judged, detail: findings }
  }

  const outcomes: { item: CadenceItem; outcome: Outcome }[] = []
  for (const item of cadenceItems(policy, run.itemSelection)) {
    yield
    const outcome = item.own === null && measureOf(item.measurementType) === undefined ? byArrival() : byNumber(item)
    // A policy without items watches what its source has.
    if (outcome !== null) outcomes.push({ item, outcome })
  }
  const after = { ...before, table, figures: { ...before.figures, ...now } }
  return { ...endOfRun(policy, outcomes), ...judgedPoints(points), ...learnedAfter(before, after) }
}
