import { maxPeriods } from '@assay/data-engine'
import type { GivenSide, RunGiven } from '../kinds/judging.ts'
import { longestLookBackDays } from '../series/look-back.ts'
import { columnKey, type SeriesKey } from '../series/series-key.ts'
import { instantOf, localOf } from '../zone-time.ts'
import { boundsOfPeriods } from './calendar.ts'
import type { PeriodsDefinition } from './definition.ts'
import { type TimeColumn, timeColumnOf } from './time-column.ts'

/** Maximum number of values that a run measures by period. All new ones are stored in one event. */
const maxValues = 20_000
/**
 * Maximum number of periods: days for as long as series are kept, and hours of four weeks, so that a season of hours of
 * the week, which needs three weeks, is known from the first run on.
 */
const mostPeriods = { DAY: longestLookBackDays, HOUR: maxPeriods } as const
/** Minimum number of periods, whatever the number of series, so that the detector has enough values. */
const minPeriods = 10

/** The periods of a run. */
export interface RunPeriods {
  definition: PeriodsDefinition
  column: TimeColumn
  /** Epoch milliseconds, ascending: a period ends where the next one begins. */
  bounds: readonly number[]
  /** Why earlier periods with rows are not measured; absent if the policy asks for no more. */
  limit?: string
}

/**
 * The whole periods that a run measures; `undefined` if the table has no column for them, or the run reads a selected
 * part of the data. `series`: the number of series. Pure.
 */
export function runPeriods(
  definition: PeriodsDefinition | undefined,
  { startedAt, executionType, sides: [side] }: Pick<RunGiven, 'startedAt' | 'executionType' | 'sides'>,
  series: number,
): RunPeriods | undefined {
  if (definition === undefined || executionType === 'SELECTIVE' || series === 0) return undefined
  const column = timeColumnOf(definition, side)
  if (column === undefined) return undefined
  const { granularity, timeZone, from } = definition
  const most = Math.min(mostPeriods[granularity], Math.max(minPeriods, Math.floor(maxValues / series)))
  const since = from === null ? undefined : startOf(from, timeZone)
  const bounds = boundsOfPeriods({ now: Date.parse(startedAt), granularity, timeZone, from: since, most })
  const [first] = bounds
  if (first === undefined) return undefined
  if (bounds.length <= most || (since !== undefined && since >= first)) return { definition, column, bounds }
  const unit = granularity === 'HOUR' ? 'hours' : 'days'
  const limit = `A run measures at most ${most} ${unit}: older ones are not measured by period.`
  return { definition, column, bounds, limit }
}

/** The instant of a time, or of midnight of a date in a zone. */
const startOf = (from: string, timeZone: string) =>
  from.includes('T') ? Date.parse(from) : instantOf(Date.parse(from), timeZone)

/** The bounds for the engine: dates without a zone, times in UTC. Pure. */
export function boundTexts({ definition: { timeZone }, column, bounds }: RunPeriods): string[] {
  return bounds.map((bound) => (column.isDate ? dayText(bound, timeZone) : new Date(bound).toISOString().slice(0, 19)))
}

/** The date that begins at an instant in a zone. */
const dayText = (instant: number, timeZone: string) =>
  `${new Date(localOf(instant, timeZone)).toISOString().slice(0, 10)}T00:00:00`

/**
 * The series of a figure by period. `measured` identifies the figure. The series does not depend on the type of
 * execution.
 */
export function periodKey(
  columnName: string | null,
  measured: object,
  periods: RunPeriods,
  { filter, side: { assetId, view } }: { filter: string | null; side: Pick<GivenSide, 'assetId' | 'view'> },
): SeriesKey {
  const period = periodOf(periods)
  return columnKey(columnName, { ...measured, period }, { assetId, view, scope: 'FULL', markKey: null, filter })
}

/** The part of a series key that says what the periods are. */
export function periodOf({ definition: { granularity, timeZone }, column }: RunPeriods): object {
  return { time: column.time, granularity, timeZone }
}
