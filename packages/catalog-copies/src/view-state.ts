import type { TableMessage } from '@assay/contracts'
import { hashOf, viewKey } from './view-key.ts'

type ViewedTable = Pick<TableMessage, 'locator' | 'sourceIds'>

/** The state of a view. Both fields are absent for other assets. */
export interface ViewState {
  /** The tables and views that it reads, directly or through other views. Omitted if unknown. */
  sourceIds?: number[]
  /** A hash that changes when the view, or a view that it reads, is redefined or reads other tables. */
  view?: string
}

/**
 * The state of a view. Compare it before you continue or show results of earlier reads: a redefined view keeps its
 * asset id, and views that read it are not published again. `tableOf` is called for views only.
 */
export async function viewState(
  tableOf: (assetId: number) => Promise<ViewedTable | undefined>,
  table: ViewedTable,
): Promise<ViewState> {
  const own = viewKey(table)
  if (own === undefined) return {}
  if (table.sourceIds === undefined) return { view: own }
  const reached = new Set(table.sourceIds)
  const keys: [number, string][] = []
  // Iterating over the Set also visits ids that are added meanwhile, each once, even if views read each other.
  for (const id of reached) {
    const source = await tableOf(id)
    const key = source && viewKey(source)
    if (key !== undefined) keys.push([id, key])
    for (const next of source?.sourceIds ?? []) reached.add(next)
  }
  const view = keys.length === 0 ? own : hashOf([own, keys.sort(([a], [b]) => a - b)])
  return { view, sourceIds: [...reached].sort((a, b) => a - b) }
}
