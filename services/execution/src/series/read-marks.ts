import type { Feedback } from '@assay/contracts'
import type { Documents } from '@assay/documents'
import { dayOf, type SeriesKey } from '@assay/reliability'
import { inParts } from '../running/in-parts.ts'
import { seriesDays } from './series.documents.ts'
import type { SeriesDayDocument } from './series-day.ts'

const daysAtOnce = 200

/** The marks on points of a policy between two times, epoch milliseconds. A point has at most one. */
export async function readMarks(
  documents: Pick<Documents, 'find'>,
  { tenant, policyId, from, to }: { tenant: string; policyId: number; from: number; to: number },
): Promise<(executionId: number, key: SeriesKey | null) => Feedback | undefined> {
  const marks = new Map<string, Feedback>()
  const idOf = (executionId: number, key: SeriesKey) => `${executionId} ${key}`
  let until = dayOf(to)
  const read = async (size: number) => {
    const { documents: found } = await documents.find(seriesDays, tenant, {
      where: [
        { field: 'policyId', is: policyId },
        { field: 'day', from: dayOf(from), to: until },
      ],
      sort: [{ field: 'day', direction: 'desc' }],
      size,
    })
    until = (found.at(-1)?.day ?? until) - 1
    return { documents: found, isEnd: found.length < size }
  }
  const valuesIn = ({ summaries }: SeriesDayDocument) => Object.keys(summaries).length
  for await (const days of inParts({ atOnce: daysAtOnce, read, valuesIn }))
    for (const { marks: ofDay } of days)
      for (const { executionId, key, mark } of ofDay) marks.set(idOf(executionId, key), mark)
  return (executionId, key) => (key === null ? undefined : marks.get(idOf(executionId, key)))
}
