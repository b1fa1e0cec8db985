import type { Aggregate } from '@assay/event-store'
import { duePut } from '@assay/work'
import { decide, evolve, noWalk, type TableWalk, type TableWalkCommand, type TableWalkEvent } from './table-walk.ts'

/** The `kind` of assemblies in the due book whose tables are walked after a crawl. */
export const tableWalkDue = 'table walk'

/** Streams `<tenant>/tablewalk-<assembly id>`. */
export const tableWalkAggregate: Aggregate<TableWalk, TableWalkCommand, TableWalkEvent> = {
  category: 'tablewalk',
  decider: { initialState: noWalk, decide, evolve },
  schemaVersion: 1,
  documents: ({ assemblyId: id, crawl, at }, { tenant }, source) =>
    id === 0 ? [] : [duePut({ kind: tableWalkDue, tenant, id }, crawl === null ? null : at, source)],
}
