import type { Feedback } from '@assay/contracts'
import type { Documents } from '@assay/documents'
import { dayOf, type SeriesKey } from '@assay/reliability'
import { seriesDays } from './series.documents.ts'

const daysAtOnce = 200

/** The marks on points of a policy between two times, epoch milliseconds. A point has at most one. */
export async function readMarks(
  documents: Pick<Documents, 'find'>,
  { tenant, policyId, from, to }: { tenant: string; policyId: number; from: number; to: number },
): Promise<(executionId: number, key: SeriesKey | null) => Feedback | undefined> {
  const marks = new Map<string, Feedback>()
  const idOf = (executionId: number, key: SeriesKey) => `${executionId} ${key}`
  for (let page = 0, isLast = false; !isLast; page += 1) {
    const found = await documents.find(seriesDays, tenant, {
      where: [
        { field: 'policyId', is: policyId },
        { field: 'day', from: dayOf(from), to: dayOf(to) },
      ],
      sort: [{ field: 'day', direction: 'desc' }],
      page,
      size: daysAtOnce,
    })
    for (const { marks: ofDay } of found.documents)
      for (const { executionId, key, mark } of ofDay) marks.set(idOf(executionId, key), mark)
    isLast = found.documents.length < daysAtOnce
  }
  return (executionId, key) => (key === null ? undefined : marks.get(idOf(executionId, key)))
}
