import { type Feedback, feedbacks } from '@assay/contracts'
import { dayOf, mergedSummary, type SeriesKey, type Summary, summaryOf } from '@assay/reliability'
import { AssayError } from '@assay/service-kit/errors'
import { z } from 'zod'

const summary: z.ZodType<Summary> = z.object({
  count: z.int(),
  sum: z.string(),
  least: z.string(),
  most: z.string(),
  firstAt: z.int(),
  lastAt: z.int(),
})

/** The latest values in a period that ends on this day. `measuredAt`: start of the run that measured them. */
const seriesPeriod = z.object({ at: z.int(), measuredAt: z.int(), points: z.record(z.string(), z.string()) })
export type SeriesPeriod = z.infer<typeof seriesPeriod>

/** The series of one policy on one UTC day. Times are epoch milliseconds. */
export const seriesDay = z.object({
  policyId: z.int(),
  day: z.int(),
  /** The runs whose points were added. */
  runs: z.array(z.object({ executionId: z.int(), at: z.int() })),
  /** By series. They include all points, whatever the feedback on them. */
  summaries: z.record(z.string(), summary),
  periods: z.array(seriesPeriod),
  marks: z.array(z.object({ executionId: z.int(), at: z.int(), key: z.string(), mark: z.enum(feedbacks) })),
})
export type SeriesDayDocument = z.infer<typeof seriesDay>
/** `null` means that it has passed its retention. */
export type SeriesDayState = Omit<SeriesDayDocument, 'policyId' | 'day'> | null

/** The values in one period. `at`: its end, epoch milliseconds. A null value removes the value of earlier runs. */
export type MeasuredPeriod = { at: number; points: Record<SeriesKey, string | null> }

/** `at`: when the run began, ISO 8601 UTC. `points`: values by series. */
export type SeriesDayEvent =
  | { type: 'SeriesPointsAdded'; data: { executionId: number; at: string; points: Record<SeriesKey, string> } }
  | { type: 'SeriesPeriodsMeasured'; data: { executionId: number; measuredAt: string; periods: MeasuredPeriod[] } }
  | {
      type: 'FeedbackGiven'
      data: {
        executionId: number
        keys: SeriesKey[]
        mark: Feedback
        comment: string | null
        /** The end of the period, epoch milliseconds. Absent: the points of the run. */
        periodEnd?: number
      }
    }
  | { type: 'SeriesDayRemoved'; data: { at: string } }

export type SeriesDayCommand =
  | { type: 'AddSeriesPoints'; executionId: number; at: string; points: Readonly<Record<SeriesKey, string>> }
  | { type: 'AddPeriods'; executionId: number; measuredAt: string; periods: readonly MeasuredPeriod[] }
  | {
      type: 'GiveFeedback'
      executionId: number
      keys: readonly SeriesKey[]
      mark: Feedback
      comment: string | null
      periodEnd?: number
    }
  | { type: 'RemoveSeriesDay'; at: string }

export const emptyDay: SeriesDayState = { runs: [], summaries: {}, periods: [], marks: [] }

/**
 * Adds the points of a run once. For each period, keeps the points of the latest run. The last feedback on a point
 * applies; repeating it gives no events.
 */
export function decide(command: SeriesDayCommand, state: SeriesDayState): SeriesDayEvent[] {
  switch (command.type) {
    case 'AddSeriesPoints': {
      const { executionId, at, points } = command
      const isKnown = state === null || state.runs.some((run) => run.executionId === executionId)
      return isKnown ? [] : [{ type: 'SeriesPointsAdded', data: { executionId, at, points } }]
    }
    case 'AddPeriods': {
      const { executionId, measuredAt } = command
      if (state === null) return []
      const periods = command.periods.filter((period) => isNewer(state.periods, period, Date.parse(measuredAt)))
      return periods.length === 0 ? [] : [{ type: 'SeriesPeriodsMeasured', data: { executionId, measuredAt, periods } }]
    }
    case 'GiveFeedback': {
      const { executionId, mark, comment, periodEnd } = command
      const isKnown =
        periodEnd === undefined
          ? state?.runs.some((run) => run.executionId === executionId)
          : state?.periods.some(({ at }) => at === periodEnd)
      if (state === null || isKnown !== true)
        throw new AssayError(
          'unprocessable',
          `The points of run ${executionId} are too old for feedback. Give feedback on a later run.`,
        )
      const isMarked = (key: SeriesKey) =>
        state.marks.some((one) => isOn(one, { executionId, periodEnd }) && one.key === key && one.mark === mark)
      const keys = command.keys.filter((key) => Object.hasOwn(state.summaries, key) && !isMarked(key))
      return keys.length === 0
        ? []
        : [
            {
              type: 'FeedbackGiven',
              data: { executionId, keys, mark, comment, ...(periodEnd === undefined ? {} : { periodEnd }) },
            },
          ]
    }
    case 'RemoveSeriesDay':
      return state === null ? [] : [{ type: 'SeriesDayRemoved', data: { at: command.at } }]
    default:
      return command satisfies never
  }
}

/** Whether the feedback is on a point of the period `periodEnd`, or, without it, on a point of the run. */
function isOn(
  one: { executionId: number; at: number },
  { executionId, periodEnd }: { executionId: number; periodEnd?: number | undefined },
): boolean {
  return periodEnd === undefined ? one.executionId === executionId : one.at === periodEnd
}

function isNewer(known: readonly SeriesPeriod[], { at, points }: MeasuredPeriod, measuredAt: number): boolean {
  const before = known.find((one) => one.at === at)
  if (before === undefined) return true
  return (
    measuredAt > before.measuredAt &&
    Object.entries(points).some(([key, value]) => before.points[key] !== (value ?? undefined))
  )
}

/** The periods after a run measured some of them, and the summaries of their series. */
function withPeriods(
  state: NonNullable<SeriesDayState>,
  measuredAt: number,
  measured: readonly MeasuredPeriod[],
): NonNullable<SeriesDayState> {
  const periods = new Map(state.periods.map((one) => [one.at, one]))
  for (const { at, points } of measured) {
    const all = Object.entries({ ...periods.get(at)?.points, ...points })
    const given = all.flatMap(([key, value]): [string, string][] => (value === null ? [] : [[key, value]]))
    periods.set(at, { at, measuredAt, points: Object.fromEntries(given) })
  }
  const summaries = { ...state.summaries }
  for (const key of new Set(measured.flatMap(({ points }) => Object.keys(points)))) {
    const ofKey = [...periods.values()].flatMap(({ at, points: { [key]: value } }) =>
      value === undefined ? [] : [{ at, value }],
    )
    const summarised = summaryOf(ofKey)
    if (summarised === undefined) delete summaries[key]
    else summaries[key] = summarised
  }
  return { ...state, periods: [...periods.values()].sort((one, other) => one.at - other.at), summaries }
}

export function evolve(state: SeriesDayState, event: SeriesDayEvent): SeriesDayState {
  if (state === null) return state
  switch (event.type) {
    case 'SeriesPointsAdded': {
      const { executionId, points } = event.data
      const at = Date.parse(event.data.at)
      const summaries = { ...state.summaries }
      for (const [key, value] of Object.entries(points)) {
        const point = { count: 1, sum: value, least: value, most: value, firstAt: at, lastAt: at }
        const before = summaries[key]
        summaries[key] = (before && mergedSummary([before, point])) ?? point
      }
      return { ...state, runs: [...state.runs, { executionId, at }], summaries }
    }
    case 'SeriesPeriodsMeasured':
      return withPeriods(state, Date.parse(event.data.measuredAt), event.data.periods)
    case 'FeedbackGiven': {
      const { executionId, keys, mark, periodEnd } = event.data
      const at = periodEnd ?? state.runs.find((run) => run.executionId === executionId)?.at
      if (at === undefined) return state
      const others = state.marks.filter((one) => !isOn(one, { executionId, periodEnd }) || !keys.includes(one.key))
      return { ...state, marks: [...others, ...keys.map((key) => ({ executionId, at, key, mark }))] }
    }
    case 'SeriesDayRemoved':
      return null
    default:
      return event satisfies never
  }
}

/** The id of the stream of a policy's day, `<policy>.<day>`. */
export function seriesDayId(policyId: number, at: number): string {
  return `${policyId}.${dayOf(at)}`
}
