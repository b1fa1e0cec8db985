import { type DocumentPut, defineCollection, documentPut, type Source } from '@assay/documents'
import { z } from 'zod'
import { type SeriesDayDocument, type SeriesDayState, seriesDay } from './series-day.ts'

/** One document per policy and UTC day with points, for look-backs over whole days. */
export const seriesDays = defineCollection<SeriesDayDocument>({
  name: 'execution_series_days',
  version: 2,
  idType: 'text',
  schema: seriesDay,
  fields: {
    policyId: { type: 'integer', of: ({ policyId }) => policyId, alone: false },
    day: { type: 'integer', of: ({ day }) => day, required: true },
  },
  listings: [['policyId', 'day']],
})

const runPoints = z.object({
  executionId: z.int(),
  policyId: z.int(),
  at: z.int(),
  points: z.record(z.string(), z.string()),
})
export type RunPoints = z.infer<typeof runPoints>

/** One small document per run with points: its values by series. `at`: epoch milliseconds. */
export const seriesRuns = defineCollection<RunPoints>({
  name: 'execution_series_runs',
  version: 1,
  idType: 'integer',
  schema: runPoints,
  fields: {
    policyId: { type: 'integer', of: ({ policyId }) => policyId, alone: false },
    at: { type: 'integer', of: ({ at }) => at, required: true },
  },
  listings: [['policyId', 'at']],
})

/** The documents of one day's stream. */
export function seriesDayDocuments(
  state: SeriesDayState,
  key: { tenant: string; id: string },
  source: Source,
): DocumentPut[] {
  const [policyId, day] = key.id.split('.').map(Number)
  const document = state && { policyId: policyId ?? 0, day: day ?? 0, ...state }
  return [documentPut(seriesDays, key.tenant, key.id, document, source)]
}
