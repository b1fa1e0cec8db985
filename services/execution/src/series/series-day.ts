import { type Feedback, feedbacks } from '@assay/contracts'
import { dayOf, mergedSummary, type SeriesKey, type Summary } from '@assay/reliability'
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

/** The series of one policy on one UTC day. Times are epoch milliseconds. */
export const seriesDay = z.object({
  policyId: z.int(),
  day: z.int(),
  /** The runs whose points were added. */
  runs: z.array(z.object({ executionId: z.int(), at: z.int() })),
  /** By series: of all points, whatever the feedback on them. */
  summaries: z.record(z.string(), summary),
  marks: z.array(z.object({ executionId: z.int(), at: z.int(), key: z.string(), mark: z.enum(feedbacks) })),
})
export type SeriesDayDocument = z.infer<typeof seriesDay>
/** `null` means that it has passed its retention. */
export type SeriesDayState = Omit<SeriesDayDocument, 'policyId' | 'day'> | null

/** `at`: when the run began, ISO 8601 UTC. `points`: values by series. */
export type SeriesDayEvent =
  | { type: 'SeriesPointsAdded'; data: { executionId: number; at: string; points: Record<SeriesKey, string> } }
  | { type: 'FeedbackGiven'; data: { executionId: number; keys: SeriesKey[]; mark: Feedback; comment: string | null } }
  | { type: 'SeriesDayRemoved'; data: { at: string } }

export type SeriesDayCommand =
  | { type: 'AddSeriesPoints'; executionId: number; at: string; points: Readonly<Record<SeriesKey, string>> }
  | { type: 'GiveFeedback'; executionId: number; keys: readonly SeriesKey[]; mark: Feedback; comment: string | null }
  | { type: 'RemoveSeriesDay'; at: string }

export const emptyDay: SeriesDayState = { runs: [], summaries: {}, marks: [] }

/** Adds the points of a run once. The last feedback on a point counts; repeating it gives no events. */
export function decide(command: SeriesDayCommand, state: SeriesDayState): SeriesDayEvent[] {
  switch (command.type) {
    case 'AddSeriesPoints': {
      const { executionId, at, points } = command
      const isKnown = state === null || state.runs.some((run) => run.executionId === executionId)
      return isKnown ? [] : [{ type: 'SeriesPointsAdded', data: { executionId, at, points } }]
    }
    case 'GiveFeedback': {
      const { executionId, mark, comment } = command
      if (!state?.runs.some((run) => run.executionId === executionId))
        throw new AssayError('unprocessable', `No later run learns from the points of run ${executionId} any more.`)
      const isMarked = (key: SeriesKey) =>
        state.marks.some((one) => one.executionId === executionId && one.key === key && one.mark === mark)
      const keys = command.keys.filter((key) => Object.hasOwn(state.summaries, key) && !isMarked(key))
      return keys.length === 0 ? [] : [{ type: 'FeedbackGiven', data: { executionId, keys, mark, comment } }]
    }
    case 'RemoveSeriesDay':
      return state === null ? [] : [{ type: 'SeriesDayRemoved', data: { at: command.at } }]
    default:
      return command satisfies never
  }
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
    case 'FeedbackGiven': {
      const { executionId, keys, mark } = event.data
      const at = state.runs.find((run) => run.executionId === executionId)?.at
      if (at === undefined) return state
      const others = state.marks.filter((one) => one.executionId !== executionId || !keys.includes(one.key))
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
