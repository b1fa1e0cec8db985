import { z } from 'zod'
import type { LearnedData, RunGiven } from '../kinds/judging.ts'

/** The periods that earlier runs added to the series. `of`: hash of the series; `hashes`: of the values of a period. */
const recordedPeriods = z.object({ of: z.string(), ends: z.array(z.int()), hashes: z.array(z.string()) })
export type RecordedPeriods = z.infer<typeof recordedPeriods>

const learnedPeriods = z.object({ periods: recordedPeriods.optional() })

/**
 * The periods that earlier runs recorded; `undefined` if there are none. Without hashes if they recorded another set of
 * series, so that all values count as changed. Pure.
 */
export function recordedBefore({ learned }: Pick<RunGiven, 'learned'>, of: string): RecordedPeriods | undefined {
  const periods = learnedPeriods.safeParse(learned).data?.periods
  return periods === undefined || periods.of === of ? periods : { ...periods, hashes: [] }
}

/** What earlier runs recorded, for a run that measures no periods. Pure. */
export function keptRecord({ learned }: Pick<RunGiven, 'learned'>): LearnedData {
  const periods = learnedPeriods.safeParse(learned).data?.periods
  return periods === undefined ? {} : { periods }
}
