import type { Documents } from '@assay/documents'
import { dayOf } from '@assay/reliability'
import { inParts } from '../running/in-parts.ts'
import { seriesDays } from './series.documents.ts'
import type { SeriesDayDocument } from './series-day.ts'

const daysAtOnce = 200

/** The number of values in the document of a day. */
export const valuesOfDay = ({ summaries, periods }: SeriesDayDocument): number =>
  Object.keys(summaries).length * Math.max(1, periods.length)

/** The days of a policy's series between two times, epoch milliseconds. The newest first. */
export async function* readSeriesDays(
  documents: Pick<Documents, 'find'>,
  { tenant, policyId, from, to }: { tenant: string; policyId: number; from: number; to: number },
): AsyncGenerator<SeriesDayDocument> {
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
  for await (const days of inParts({ atOnce: daysAtOnce, read, valuesIn: valuesOfDay })) yield* days
}
