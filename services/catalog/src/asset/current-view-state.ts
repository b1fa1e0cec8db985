import { type ViewState, viewState } from '@assay/catalog-copies'
import type { Documents } from '@assay/documents'
import { type AssetTableDocument, assetTables } from './collections.ts'

/** The current state of a view; empty for other assets. */
export function currentViewState(
  documents: Pick<Documents, 'get'>,
  tenant: string,
  facts: NonNullable<AssetTableDocument['facts']>,
): Promise<ViewState> {
  const factsOf = async (id: number) => (await documents.get(assetTables, tenant, id))?.document.facts ?? undefined
  return viewState(factsOf, facts)
}
