import type { Aggregate } from '@assay/event-store'
import { seriesDayDocuments, seriesDays } from './series.documents.ts'
import {
  decide,
  emptyDay,
  evolve,
  type SeriesDayCommand,
  type SeriesDayEvent,
  type SeriesDayState,
} from './series-day.ts'

/**
 * Streams `<tenant>/series-<policy>.<day>`. One stream per day keeps state and documents small, however often a policy
 * runs.
 */
export const seriesDayAggregate: Aggregate<SeriesDayState, SeriesDayCommand, SeriesDayEvent> = {
  category: 'series',
  decider: { initialState: emptyDay, decide, evolve },
  schemaVersion: 2,
  documents: seriesDayDocuments,
  wholeDocument: (documents, { tenant, id }) => documents.get(seriesDays, tenant, id),
}
