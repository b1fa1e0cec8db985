import { z } from 'zod'
import type { LearnedData, RunGiven } from '../kinds/judging.ts'

/**
 * The periods whose values earlier runs added to the series. `of`: a hash of the series. `hashes`: for each period, a
 * hash of its values. `behind`: the end of the last judged period of each series that the last run could not measure.
 */
const recordedPeriods = z.object({
  of: z.string(),
  ends: z.array(z.int()),
  hashes: z.array(z.string()),
  behind: z.record(z.string(), z.int()).exactOptional(),
})
export type RecordedPeriods = z.infer<typeof recordedPeriods>

const learnedPeriods = z.object({ periods: recordedPeriods.optional() })

/**
 * The periods that earlier runs recorded; `undefined` if there are none. If they recorded another set of series,
 * `hashes` is empty, so that all values count as changed. Pure.
 */
export function recordedBefore({ learned }: Pick<RunGiven, 'learned'>, of: string): RecordedPeriods | undefined {
  const periods = learnedPeriods.safeParse(learned).data?.periods
  return periods === undefined || periods.of === of ? periods : { ...periods, hashes: [] }
}

/** What a run that measures no periods keeps from earlier runs. Pure. */
export function keptRecord({ learned }: Pick<RunGiven, 'learned'>): LearnedData {
  const periods = learnedPeriods.safeParse(learned).data?.periods
  return periods === undefined ? {} : { periods }
}
