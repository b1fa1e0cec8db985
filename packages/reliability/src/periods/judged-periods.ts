import type { BackfilledPeriods } from '@assay/contracts'
import type { Found, FoundPeriods, Histories, LearnedData, PeriodPoints, RunGiven } from '../kinds/judging.ts'
import type { History } from '../series/look-back.ts'
import { hashOf, type SeriesKey } from '../series/series-key.ts'
import { firstPeriod, lastEnd } from './first-period.ts'
import { historiesBefore } from './period-history.ts'
import { keptRecord, type RecordedPeriods, recordedBefore } from './recorded.ts'
import type { RunPeriods } from './run-periods.ts'

/** A value in one period. `end`: epoch milliseconds. */
export interface PeriodValue {
  end: number
  /** Text of `figureOf`. */
  value: string
  /** The history before this period. */
  history: History
  /** Whether it is the newest period, which decides the verdict. */
  isNewest: boolean
}

/** The measured periods of a run, compared with those that earlier runs recorded. */
export interface JudgedPeriods {
  /**
   * The values to judge, oldest first: those of the periods that ended since the series was last judged, and of the
   * newest period. Lazy, so that the caller can pause between them.
   */
  valuesOf(key: SeriesKey): Iterable<PeriodValue>
  has(key: SeriesKey): boolean
  /** The values that are added to the series: those of periods that are new or changed. */
  points: PeriodPoints
  /** Why the first run has not measured all periods of the table; `undefined` if it has. */
  leftOut: string | undefined
  /** What the next run needs. */
  learned: LearnedData
  /** What the result of an item shows. */
  shownFor(keys: readonly SeriesKey[]): BackfilledPeriods
}

type Values = ReadonlyMap<SeriesKey, readonly (string | null)[]>

/**
 * The periods that a run judges. `undefined` if the table has had no rows in any of them. Recorded values stay if their
 * rows were removed from the table. `keys`: the series that should be measured. `valuesIn`: the values of each series by period, as texts of `figureOf`. Pure.
 */
export function judgedPeriods(
  periods: RunPeriods,
  { run, found, past, keys }: { run: RunGiven; found: readonly Found[]; past: Histories; keys: readonly SeriesKey[] },
  valuesIn: (measured: FoundPeriods['periods']) => Values,
): JudgedPeriods | undefined {
  const { periods: measured, hasOlder } = found.find((one) => one.kind === 'PERIODS') ?? {}
  if (measured === undefined || measured.length !== periods.bounds.length - 1) return undefined
  const all = valuesIn(measured)
  const of = hashOf({ keys: [...all.keys()].sort() })
  const before = recordedBefore(run, of)
  const first = firstPeriod(measured, periods.bounds.slice(1), before)
  if (first === undefined) return undefined
  const ends = periods.bounds.slice(first + 1)
  const sorted = [...all].sort(([a], [b]) => (a < b ? -1 : 1))
  const values: Values = new Map(sorted.map(([key, ofKey]) => [key, ofKey.slice(first)]))
  const known = new Map(before?.ends.map((end, index) => [end, before.hashes[index]]))
  // Rows of the first period may be removed at any time, so its measured values do not replace recorded ones.
  const isKept = (end: number, index: number) => index === 0 && known.has(end) && measured[first]?.rows !== 0
  const hashes = ends.map((end, index) => (isKept(end, index) ? (known.get(end) ?? '') : hashAt(values, index)))
  const isChanged = (index: number) => {
    const end = ends[index] ?? 0
    return !isKept(end, index) && known.get(end) !== hashes[index]
  }
  const last = lastEnd(before)
  const newest = ends.length - 1
  // Runs that could not measure a series have not judged its periods.
  const sinceOf = (key: SeriesKey) => before?.behind?.[key] ?? last
  const behind = Object.fromEntries(keys.flatMap((key) => (before && !all.has(key) ? [[key, sinceOf(key)]] : [])))
  // A run of only some items, or one that could measure nothing, records no periods, so that it does not hide them from
  // later runs.
  const isPartial = run.itemSelection !== null || all.size === 0
  const added = isPartial ? [] : ends.flatMap((_, index) => (isChanged(index) ? [index] : []))

  const { timeZone } = periods.definition
  const measuredValues = (key: SeriesKey) =>
    (values.get(key) ?? []).flatMap((value, index) => {
      const at = ends[index]
      if (value === null || at === undefined) return []
      return [{ at, value, isChanged: isChanged(index), isRecorded: known.has(at) && at <= sinceOf(key) }]
    })

  return {
    leftOut: before === undefined && hasOlder === true ? periods.limit : undefined,
    has: (key) => values.has(key),
    *valuesOf(key) {
      const historyBefore = historiesBefore(past.get(key), measuredValues(key), timeZone)
      for (const [index, end] of ends.entries()) {
        const value = values.get(key)?.[index]
        if (value == null || (index !== newest && (before === undefined || end <= sinceOf(key)))) continue
        yield { end, value, history: historyBefore(end), isNewest: index === newest }
      }
    },
    points: {
      ends: added.flatMap((index) => ends[index] ?? []),
      points: Object.fromEntries([...values].map(([key, ofKey]) => [key, added.map((index) => ofKey[index] ?? null)])),
    },
    learned: isPartial
      ? keptRecord(run)
      : { periods: recordedAfter(before, { of, ends, hashes, behind }, periods.bounds) },
    shownFor: (keys) => ({
      ...{ source: periods.column.source, columnName: periods.column.columnName },
      ...{ granularity: periods.definition.granularity, timeZone },
      from: isoOf(periods.bounds[first]),
      to: isoOf(ends.at(-1)),
      points: keys.reduce(
        (sum, key) => sum + added.filter((index) => (values.get(key)?.[index] ?? null) !== null).length,
        0,
      ),
    }),
  }
}

const isoOf = (at: number | undefined) => new Date(at ?? 0).toISOString()

function hashAt(values: Values, index: number): string {
  return hashOf({ values: [...values.values()].map((ofKey) => ofKey[index] ?? null) })
}

/** Adds recorded periods whose rows are gone, unless they are too old to be measured again. */
function recordedAfter(
  before: RecordedPeriods | undefined,
  now: RecordedPeriods,
  [oldest = 0]: readonly number[],
): RecordedPeriods {
  const measured = new Set(now.ends)
  const kept = (before?.ends ?? []).flatMap((end, index) =>
    end > oldest && !measured.has(end) ? [{ end, hash: before?.hashes[index] ?? '' }] : [],
  )
  return {
    ...now,
    ends: [...kept.map(({ end }) => end), ...now.ends],
    hashes: [...kept.map(({ hash }) => hash), ...now.hashes],
  }
}
