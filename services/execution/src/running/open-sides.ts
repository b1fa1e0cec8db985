import { type DatasetLocator, hasDatedNames, partitionsOf, type Window } from '@assay/data-engine'
import type { Documents } from '@assay/documents'
import type { GivenSide } from '@assay/reliability'
import { AssayError } from '@assay/service-kit/errors'
import { executionTables } from '../copies/tables.ts'
import { bySideInTurn } from '../execution/sides.ts'
import { findReferences } from '../references/find-references.ts'
import { currentViewState, datasetOf } from '../references/tags.ts'
import type { KnownRun } from '../versions/versions.ts'
import { lastPositions } from './last-positions.ts'
import { markKeyOf, windowOf } from './run-window.ts'

/** A side of a run: its dataset, the part to read, and what the run's kind needs. */
export interface OpenSide {
  dataset: DatasetLocator
  window: Window | undefined
  given: GivenSide
  viewSources: readonly number[]
}

/**
 * Opens each side of a run. Throws `unprocessable` for a table without a locator and for a view that was redefined
 * since the run was accepted, and the errors of `windowOf`.
 */
export async function openSides(documents: Documents, tenant: string, run: KnownRun) {
  const markKey = markKeyOf(run)
  const positions = await lastPositions(documents, tenant, run.policy.id, markKey)
  const sides = await bySideInTurn(run.tables, async (table): Promise<OpenSide> => {
    const { side, assetId, columns, view } = table
    // The current locator, because the table may have moved since the run was accepted.
    const copy = await documents.get(executionTables, tenant, assetId)
    const dataset = copy && (await datasetOf(documents, tenant, copy.document.table))
    if (copy === undefined || dataset === undefined)
      throw new AssayError('unprocessable', `Table ${table.uid} cannot be opened; crawl its assembly again.`)
    // The parts of a run that callers may see depend on the tables that the view read when the run was accepted.
    if ((await currentViewState(documents, tenant, copy.document.table)).view !== view)
      throw new AssayError('unprocessable', `The view ${table.uid} was redefined after the start. Start the run again.`)
    const mark = positions.get(side) ?? null
    const window = windowOf(run, table, { dataset, mark })
    const needs = run.definition.needs(side, run.itemSelection)
    const { viewSources, ...references } = await findReferences(documents, tenant, table, needs)
    return {
      dataset,
      window,
      given: {
        ...{ side, assetId, columns, view, references, mark },
        ...{ partitions: partitionsOf(dataset), hasDatedNames: hasDatedNames(dataset) },
      },
      viewSources,
    }
  })
  return { markKey, sides }
}
