import { defineCollection, documentPut } from '@assay/documents'
import type { Aggregate } from '@assay/event-store'
import { z } from 'zod'
import {
  decideSqlView,
  evolveSqlView,
  initialSqlView,
  type SqlViewCommand,
  type SqlViewEvent,
  type SqlViewState,
} from './sql-view.ts'

const sqlViewDocument = z.object({
  status: z.enum(['live', 'deleted']),
  assetId: z.int(),
  uid: z.string(),
  assemblyId: z.int(),
  name: z.string(),
  nameOwner: z.string(),
  query: z.string(),
  queryType: z.enum(['SQL_QUERY', 'FILTER', 'AGGREGATION_PIPELINE']),
  description: z.string(),
  tableAlias: z.string().nullable(),
  backingAssetId: z.int().nullable(),
  createdAt: z.string(),
  updatedAt: z.string(),
})
export type SqlViewDocument = z.infer<typeof sqlViewDocument>

/** One per existing view, by the id of its asset. */
export const sqlViews = defineCollection<SqlViewDocument>({
  name: 'sql_views',
  version: 1,
  idType: 'integer',
  schema: sqlViewDocument,
  fields: {},
})

/** The definition of a view: streams `<tenant>/sqlview-<assetId>`. Its columns are in the stream of its asset. */
export const sqlViewAggregate: Aggregate<SqlViewState, SqlViewCommand, SqlViewEvent> = {
  category: 'sqlview',
  decider: { initialState: initialSqlView, decide: decideSqlView, evolve: evolveSqlView },
  schemaVersion: 1,
  documents: (state, { tenant }, source) =>
    state.status === 'absent'
      ? []
      : [documentPut(sqlViews, tenant, state.assetId, state.status === 'live' ? state : null, source)],
}
