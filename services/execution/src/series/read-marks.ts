import type { Feedback } from '@assay/contracts'
import type { Documents } from '@assay/documents'
import type { Origin, SeriesKey } from '@assay/reliability'
import { readSeriesDays } from './read-days.ts'

/** The marks on points of a policy between two times, epoch milliseconds. A point has at most one. */
export async function readMarks(
  documents: Pick<Documents, 'find'>,
  asked: { tenant: string; policyId: number; from: number; to: number },
): Promise<(of: Origin, key: SeriesKey | null) => Feedback | undefined> {
  const marks = new Map<string, Feedback>()
  const idOf = (of: Origin, key: SeriesKey) =>
    'periodEnd' in of ? `period ${of.periodEnd} ${key}` : `run ${of.executionId} ${key}`
  for await (const { marks: ofDay } of readSeriesDays(documents, asked))
    for (const { executionId, at, key, mark } of ofDay) {
      marks.set(idOf({ executionId }, key), mark)
      // Another run than the marked one may show the period.
      marks.set(idOf({ periodEnd: at }, key), mark)
    }
  return (of, key) => (key === null ? undefined : marks.get(idOf(of, key)))
}
