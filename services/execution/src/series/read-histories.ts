import { setImmediate } from 'node:timers/promises'
import { alignedSize, type Documents } from '@assay/documents'
import {
  countedPoints,
  dayMs,
  dayOf,
  daysToRead,
  type Histories,
  isWhole,
  keptSeriesDays,
  type LookBack,
  type SeriesDay,
  type SeriesKey,
  type SeriesPoint,
  startsBaseline,
  suffices,
  summaryOf,
} from '@assay/reliability'
import { firstSize, nextSize } from '../running/in-parts.ts'
import { createTurns } from '../running/in-slices.ts'
import { valuesOfDay } from './read-days.ts'
import { type RunPoints, seriesDays, seriesRuns } from './series.documents.ts'
import type { SeriesDayDocument } from './series-day.ts'

/** Maximum numbers per read. A read blocks other requests, so it is smaller if days or runs have many series. */
const daysAtOnce = 25
const runsAtOnce = 100

export interface AskedHistories {
  tenant: string
  policyId: number
  asked: readonly LookBack[]
  /** When the run began, epoch milliseconds. */
  now: number
  /** `seasonZone`; null means UTC. */
  timeZone: string | null
}

/**
 * The series of a policy before `now`, as far as the thresholds look back. Reads summaries of whole days. Reads single
 * runs only for days that a window cuts, and for days with points that do not count.
 */
export async function readHistories(
  documents: Pick<Documents, 'find'>,
  { tenant, policyId, asked, now, timeZone }: AskedHistories,
): Promise<Histories> {
  const pointsOf = pointsByDay(documents, { tenant, policyId, keys: new Set(asked.map(({ key }) => key)) })
  const zone = timeZone === null ? {} : { timeZone }
  const empty = () => ({ now, days: [] as SeriesDay[], startsAtBaseline: false, ...zone })
  const histories = new Map(asked.map(({ key }) => [key, empty()]))
  const first = dayOf(now) - keptSeriesDays
  const takeTurns = createTurns()
  const isEnough = (oldest: number) =>
    asked.every(({ key, threshold }) => suffices(threshold, histories.get(key) ?? { now, days: [] }, oldest))

  async function countedPointsOf(key: SeriesKey, { day, marks }: Pick<SeriesDayDocument, 'day' | 'marks'>) {
    return countedPoints((await pointsOf(day)).get(key) ?? [], marks, now)
  }

  async function addDay(document: SeriesDayDocument): Promise<void> {
    const { day } = document
    for (const [key, history] of histories) {
      const summary = document.summaries[key]
      if (summary === undefined || history.startsAtBaseline) continue
      const marks = document.marks.filter((mark) => mark.key === key)
      history.startsAtBaseline = startsBaseline(marks)
      const ofPeriods = periodPoints(document, key)
      if (ofPeriods.length > 0) {
        // Several runs may have measured a period, so its end identifies its point.
        const onPeriods = marks.map((mark) => ({ ...mark, executionId: mark.at }))
        const points = countedPoints(ofPeriods, onPeriods, now)
        const counted = summaryOf(points)
        if (counted !== undefined) history.days.push({ day, summary: counted, points })
        continue
      }
      if (isWhole(summary, marks, now)) {
        history.days.push({ day, summary })
        continue
      }
      const points = await countedPointsOf(key, { day, marks })
      const counted = summaryOf(points)
      if (counted !== undefined) history.days.push({ day, summary: counted, points })
    }
  }

  let oldest = dayOf(now) + 1
  let size = firstSize
  while (!isEnough(oldest)) {
    const to = oldest - 1
    const found = await documents.find(seriesDays, tenant, {
      where: [
        { field: 'policyId', is: policyId },
        { field: 'day', from: first, to },
      ],
      sort: [{ field: 'day', direction: 'desc' }],
      size,
    })
    const last = found.documents.at(-1)
    oldest = last === undefined || found.documents.length < size ? first : last.day
    size = nextSize(found.documents, { atOnce: daysAtOnce, valuesIn: valuesOfDay })
    for (const document of found.documents) {
      await addDay(document)
      await takeTurns()
    }
  }
  for (const { key, threshold } of asked) {
    const history = histories.get(key)
    for (const number of history ? daysToRead(threshold, history) : []) {
      const day = history?.days.find((one) => one.day === number)
      if (day === undefined) continue
      day.points ??= await countedPointsOf(key, { day: number, marks: [] })
      await takeTurns()
    }
  }
  return histories
}

/** The points of a series that is measured by period. */
function periodPoints({ periods }: Pick<SeriesDayDocument, 'periods'>, key: SeriesKey): RunPoint[] {
  return periods.flatMap(({ at, points: { [key]: value } }) =>
    value === undefined ? [] : [{ executionId: at, at, value }],
  )
}

type RunPoint = SeriesPoint & { executionId: number }
type DayPoints = ReadonlyMap<SeriesKey, RunPoint[]>

/** The points of the requested series on a day, newest first. Reads each day once. */
function pointsByDay(
  documents: Pick<Documents, 'find'>,
  { tenant, policyId, keys }: { tenant: string; policyId: number; keys: ReadonlySet<SeriesKey> },
) {
  const read = new Map<number, DayPoints>()
  const valuesIn = (run: RunPoints) => Object.keys(run.points).length
  let most = firstSize
  return async (day: number): Promise<DayPoints> => {
    const known = read.get(day)
    if (known !== undefined) return known
    const points = new Map([...keys].map((key): [SeriesKey, RunPoint[]] => [key, []]))
    for (let offset = 0, isLast = false; !isLast; ) {
      const size = alignedSize(offset, most)
      const found = await documents.find(seriesRuns, tenant, {
        where: [
          { field: 'policyId', is: policyId },
          { field: 'at', from: day * dayMs, to: (day + 1) * dayMs - 1 },
        ],
        sort: [
          { field: 'at', direction: 'desc' },
          { field: 'id', direction: 'desc' },
        ],
        page: offset / size,
        size,
      })
      for (const run of found.documents) {
        for (const [key, ofKey] of points) {
          const value = run.points[key]
          if (value !== undefined) ofKey.push({ executionId: run.executionId, at: run.at, value })
        }
      }
      isLast = found.documents.length < size
      offset += size
      if (found.documents.length > 0) most = nextSize(found.documents, { atOnce: runsAtOnce, valuesIn })
      await setImmediate()
    }
    read.set(day, points)
    return points
  }
}
