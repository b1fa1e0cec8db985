import { type Exact, exactZero, parseExact } from '../exact.ts'
import type { Found, Histories, JudgedRun, RunGiven } from '../kinds/judging.ts'
import type { Steps } from '../kinds/steps.ts'
import { type JudgedPoint, judgedPoints } from '../series/judged-point.ts'
import { type Duration, earlierBy, type Instant, instantText, laterBy, secondsText } from '../times.ts'
import { judgeByClock } from './by-clock.ts'
import { dayMs } from './clock/pattern.ts'
import type { ArrivalPolicy } from './definition.ts'
import { type FreshnessItem, freshnessItems } from './freshness-items.ts'
import { changeIn, columnArrivals, learnedAfter, learnedBefore, tableArrivals } from './learned.ts'
import { newestOf } from './newest.ts'
import { judgeNumber, pointsOfNumber } from './numbers.ts'
import { endOfRun, type Finding, noOutcome, type Outcome, passing } from './outcome.ts'

/** Judges the age of the newest data, item by item, and says when the data becomes too old. Pure. */
export function* judgeFreshness(
  policy: ArrivalPolicy,
  run: RunGiven,
  found: readonly Found[],
  past: Histories,
): Steps<JudgedRun> {
  const { startedAt } = run
  const now = Date.parse(startedAt)
  const before = learnedBefore(run)
  const table = tableArrivals(before, changeIn(found), startedAt)
  const columns = { ...before.columns }
  const points: JudgedPoint[] = []

  function findingOf(item: FreshnessItem, newest: Instant, age: Exact): Finding {
    const { columnName, maxAge, own } = item
    if (maxAge !== null) return byLimit(newest, maxAge, now)
    if (own?.thresholdConfig != null) return judgeNumber(age, item, { policy, run, past })
    const arrivals = columnName === null ? table : columns[columnName]
    return judgeByClock(arrivals?.times ?? [], policy.timeZone, startedAt)
  }

  function outcomeOf(item: FreshnessItem): Outcome {
    const { columnName } = item
    const newest = newestOf(item, policy, found)
    if ('problem' in newest) return { ...noOutcome, error: newest.problem }
    const { instant, source } = newest
    const newestAt = instantText(instant)
    if (columnName !== null)
      columns[columnName] = columnArrivals(before, { columnName, newest: newestAt }, table, startedAt)
    const micros = BigInt(now) * 1000n - instant.micros
    const value = secondsText(micros < 0n ? 0n : micros)
    const age = parseExact(value) ?? exactZero
    const finding = findingOf(item, instant, age)
    points.push(...pointsOfNumber(age, item, finding, { policy, run }))
    const { note, detail, range: _, ...judged } = finding
    const future = `The newest data is from the future (${newestAt}), so its age counts as 0 until then. ${correctIt(item)}`
    const notes = [...(micros < 0n ? [future] : []), ...(note === undefined ? [] : [note])]
    return {
      ...noOutcome,
      value,
      ...judged,
      ...(notes.length === 0 ? {} : { note: notes.join(' ') }),
      detail: { newestAt, source, columnName, clock: null, deadlineAt: null, ...detail },
    }
  }

  const outcomes: { item: FreshnessItem; outcome: Outcome }[] = []
  for (const item of freshnessItems(policy, run.itemSelection)) {
    yield
    outcomes.push({ item, outcome: outcomeOf(item) })
  }
  const after = { ...before, table, columns }
  return { ...endOfRun(policy, outcomes), ...judgedPoints(points), ...learnedAfter(before, after) }
}

function correctIt({ columnName }: FreshnessItem): string {
  return columnName === null
    ? 'Check the clock of the source.'
    : `Correct the values of '${columnName}', or exclude these rows with rule.filter.`
}

/**
 * Times after this one have years of five or more digits. Data of the year 9999, which often stands for "no end", never
 * becomes too old.
 */
const lastDeadline = Date.UTC(9999, 11, 31)

/** When the data becomes too old: it is fresh while its age is at most the limit. */
function byLimit({ micros }: Instant, maxAge: Duration, now: number): Finding {
  const oldest = earlierBy(now, maxAge)
  const range = { lower: null, upper: (now - oldest) / 1000 }
  if (micros < BigInt(oldest) * 1000n) return { ...passing(false), range, detail: {} }
  const deadline = laterBy(Number(micros / 1000n), maxAge)
  if (deadline > lastDeadline) return { ...passing(true), range, detail: {} }
  // Calendar months differ in length, so the deadline may have passed already.
  return {
    ...passing(true),
    range,
    detail: { deadlineAt: new Date(deadline >= now ? deadline : now + dayMs).toISOString() },
  }
}
