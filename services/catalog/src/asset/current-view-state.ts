import { type ViewState, viewState } from '@assay/catalog-copies'
import { currentDataset, type DatasetLocator } from '@assay/data-engine'
import type { Documents } from '@assay/documents'
import { type AssetTableDocument, assetTables } from './collections.ts'

type Reading = Pick<Documents, 'get'>
type Facts = NonNullable<AssetTableDocument['facts']>

function factsOf(documents: Reading, tenant: string) {
  return async (id: number) => (await documents.get(assetTables, tenant, id))?.document.facts ?? undefined
}

/** The current state of a view; empty for other assets. */
export function currentViewState(documents: Reading, tenant: string, facts: Facts): Promise<ViewState> {
  return viewState(factsOf(documents, tenant), facts)
}

/** The rows of an asset. */
export async function datasetOf(documents: Reading, tenant: string, facts: Facts): Promise<DatasetLocator> {
  return (await currentDataset(factsOf(documents, tenant), facts)) ?? facts.locator
}
