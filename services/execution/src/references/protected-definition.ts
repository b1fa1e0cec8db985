import type { TableMessage } from '@assay/contracts'
import { endsOf, isMasked, type Mask, maskOfTable } from '@assay/data-engine'
import {
  filterReadsProtected,
  type ItemReads,
  markerReadsProtected,
  type ProtectedTable,
  readsProtected,
  tablesReadBy,
} from '@assay/reliability'
import { executionTables } from '../copies/tables.ts'
import type { Copies } from './copies.ts'
import { isAnyProtected, protectedNow } from './tags.ts'
import type { Touches } from './touches.ts'

/** A table of a definition or a run. */
export type DefinedTable = Pick<TableMessage, 'assetId' | 'assemblyId' | 'sourceIds'> & {
  columns: readonly { id: number; name: string; dataType: string }[]
}

/** The parts of a definition or a run that may depend on values of one of its tables. */
export interface ValuedParts {
  table: DefinedTable
  filter: string | null
  markers: readonly (object | null)[]
  reads: readonly Omit<ItemReads, 'side'>[]
  /** The tables that referenced views read during the run. */
  viewSources?: readonly number[] | undefined
}

/** The parts that depend on values that are protected now. If the filter or a marker does, all items do. */
export interface Dependence {
  onFilter: boolean
  onMarker: boolean
  items: ReadonlySet<number>
}

/** Maximum number of names to check. A SELECT with more counts as protected if the tenant protects any column. */
const maxNames = 1_000

/** The mask of a table for callers without ASSET_PROTECTED_VIEW; `null` means nothing is hidden. */
export async function maskNow(documents: Copies, tenant: string, table: DefinedTable): Promise<Mask | null> {
  const assets = await protectedNow(documents, tenant, table)
  return assets.size === 0 ? null : maskOfTable(table, assets)
}

/** Whether one of the markers selects rows by a column that is protected now. */
export async function protectedMarkers(
  documents: Copies,
  tenant: string,
  { table, markers }: Pick<ValuedParts, 'table' | 'markers'>,
): Promise<boolean> {
  const known = { columns: table.columns, mask: await maskNow(documents, tenant, table) }
  return markers.some((marker) => markerReadsProtected(marker, known))
}

/**
 * The parts of a definition or a run that depend on columns that are protected now. `touches`: the columns and tables
 * that its SQL reads.
 */
export async function protectedDependence(
  documents: Copies,
  tenant: string,
  { table, filter, markers, reads, viewSources = [] }: ValuedParts,
  touches: Touches,
): Promise<Dependence> {
  const mask = await maskNow(documents, tenant, table)
  const named = reads.flatMap((one) => tablesReadBy(one, touches.get(one.itemId)))
  const [lookups, tables] = await Promise.all([
    protectedLookups(documents, tenant, reads),
    protectedTables(documents, tenant, table, named),
  ])
  // A view may have been redefined after the run. The tables that it read then count for all items with references.
  const ofViews = await Promise.all(viewSources.map((assetId) => protectedNow(documents, tenant, { assetId })))
  const hidesViews = ofViews.some(({ size }) => size > 0)
  const known: ProtectedTable = {
    columns: table.columns,
    mask,
    hidesLookup: (assetId, columnName) => hidesViews || (lookups.get(assetId)?.(columnName) ?? false),
    hidesTable: (name) => hidesViews || tables(name),
  }
  const dependent = reads.filter((one) => readsProtected(one, touches.get(one.itemId), known))
  return {
    onFilter: filterReadsProtected(filter, touches.get(null), known),
    onMarker: markers.some((marker) => markerReadsProtected(marker, known)),
    items: new Set(dependent.map(({ itemId }) => itemId)),
  }
}

async function protectedLookups(documents: Copies, tenant: string, reads: ValuedParts['reads']) {
  const ids = [...new Set(reads.flatMap(({ lookups }) => lookups.map(({ assetId }) => assetId)))]
  const entries = ids.map(async (id): Promise<[number, (columnName: string) => boolean]> => {
    const stored = await documents.get(executionTables, tenant, id)
    if (stored === undefined) return [id, () => true]
    const { table } = stored.document
    const mask = await maskNow(documents, tenant, table)
    return [
      id,
      (name) => {
        if (mask === null) return false
        const column = table.columns.find((one) => one.name.toLowerCase() === name.toLowerCase())
        return column === undefined || isMasked({ name: column.name, type: column.dataType }, mask)
      },
    ]
  })
  return new Map(await Promise.all(entries))
}

/**
 * Whether a name in a SELECT may mean a table of the assembly with protected parts. The table may have been deleted or
 * renamed since, so every table counts that has or had the name.
 */
async function protectedTables(
  documents: Copies,
  tenant: string,
  { assetId, assemblyId }: DefinedTable,
  named: readonly (string | undefined)[],
): Promise<(name: string | undefined) => boolean> {
  const names = [...new Set(named.flatMap((name) => name ?? []))]
  const ends = new Set<string>()
  for (const name of names) {
    for (const end of endsOf(name) ?? []) ends.add(end)
    if (ends.size > maxNames) break
  }
  // An unresolved name may mean any table, so it counts if any table has protected parts.
  const isUnknown = named.includes(undefined) || names.some((name) => endsOf(name) === undefined)
  const any = (isUnknown || ends.size > maxNames) && (await isAnyProtected(documents, tenant))
  if (ends.size > maxNames || ends.size === 0) return () => any
  const where = [
    { field: 'assemblyId', is: assemblyId },
    { field: 'name', in: [...ends] },
  ]
  const { documents: found, count } = await documents.find(executionTables, tenant, { where, size: maxNames })
  if (count > found.length) return () => true
  const protectedNames = new Set<string>()
  for (const { table } of found) {
    if (table.assetId === assetId || protectedNames.has(table.name)) continue
    if ((await protectedNow(documents, tenant, { assetId: table.assetId })).size > 0) protectedNames.add(table.name)
  }
  return (name) => (name === undefined ? any : (endsOf(name)?.some((end) => protectedNames.has(end)) ?? any))
}
