import { AssayError } from '@assay/service-kit/errors'
import type { NewColumn, Placement, VanishReason } from './asset.ts'
import { type AssetEvent, type AssetState, type Facts, isSamePath, type KnownAsset } from './asset.ts'
import { type ColumnDiff, columnKey, diffColumns, type FoundColumn, isEmptyDiff } from './column-diff.ts'

/**
 * A crawl has found the asset. `assetId` is used if the asset is new. `newColumns` has an id and a UID for each new
 * column; the caller has reserved them, because a decision is pure.
 */
export type ObserveAsset = {
  type: 'ObserveAsset'
  at: string
  assetId: number
  uid: string
  name: string
  naturalPath: string[]
  placement: Placement
  columns: FoundColumn[]
  newColumns: NewColumn[]
  facts: Facts | null
}
/** Marks an asset as deleted, unless it meanwhile belongs to another assembly than `assemblyId`. */
export type VanishAsset = { type: 'VanishAsset'; at: string; assemblyId: number; reason: VanishReason }
export type AssetCommand = ObserveAsset | VanishAsset

/** Maximum number of columns per event, so that a very wide table stays below the store's limit for events. */
const columnsPerEvent = 1000

function prepared(added: readonly FoundColumn[], newColumns: readonly NewColumn[]): NewColumn[] {
  const byKey = new Map(newColumns.map((column) => [columnKey(column.path), column]))
  return added.map(({ path }) => {
    const column = byKey.get(columnKey(path))
    // Another crawl changed the table since ids were reserved for this one, so the table must be read again.
    if (column === undefined)
      throw new AssayError('unprocessable', 'The table changed while it was crawled. Crawl it again.')
    return column
  })
}

function discovered(command: ObserveAsset): AssetEvent[] {
  const { at, assetId, uid, name, naturalPath, placement, facts } = command
  const columns = prepared(command.columns, command.newColumns)
  const first = columns.slice(0, columnsPerEvent)
  const events: AssetEvent[] = [
    { type: 'AssetDiscovered', data: { assetId, uid, at, name, naturalPath, placement, columns: first, facts } },
  ]
  for (let from = columnsPerEvent; from < columns.length; from += columnsPerEvent) {
    const added = columns.slice(from, from + columnsPerEvent)
    const order = columns.slice(0, from + columnsPerEvent).map((column) => column.id)
    events.push({
      type: 'AssetSchemaChanged',
      data: { assetId, uid, at, added, returned: [], changed: [], removed: [], order },
    })
  }
  return events
}

function schemaChanged(state: KnownAsset, command: ObserveAsset, diff: ColumnDiff): AssetEvent {
  const added = prepared(diff.added, command.newColumns)
  const idOf = new Map([...state.columns, ...added].map((column) => [columnKey(column.path), column.id]))
  const order = command.columns.flatMap((column) => idOf.get(columnKey(column.path)) ?? [])
  const { returned, changed, removed } = diff
  return {
    type: 'AssetSchemaChanged',
    data: { assetId: state.id, uid: state.uid, at: command.at, added, returned, changed, removed, order },
  }
}

/** JSON text with sorted keys, to compare facts from the log with facts of a crawl. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
}

function observe(state: AssetState, command: ObserveAsset): AssetEvent[] {
  if (state.status === 'absent') return discovered(command)
  if (!isSamePath(state.naturalPath, command.naturalPath))
    throw new AssayError('unprocessable', 'Another asset took this UID. Crawl again.')
  const { placement, facts, at } = command
  const ofAsset = { assetId: state.id, uid: state.uid, at }
  const events: AssetEvent[] = []
  if (state.status === 'vanished') events.push({ type: 'AssetReturned', data: { ...ofAsset, placement } })
  else if (canonical(state.placement) !== canonical(placement))
    events.push({ type: 'AssetPlaced', data: { ...ofAsset, placement } })
  const diff = diffColumns(state.columns, command.columns)
  if (!isEmptyDiff(diff)) events.push(schemaChanged(state, command, diff))
  if (facts !== null && canonical(state.facts) !== canonical(facts))
    events.push({ type: 'AssetFactsObserved', data: { ...ofAsset, facts } })
  return events
}

/** The events of a command on an asset; none if nothing changes. */
export function decideAsset(command: AssetCommand, state: AssetState): AssetEvent[] {
  switch (command.type) {
    case 'ObserveAsset':
      return observe(state, command)
    case 'VanishAsset': {
      const { at, assemblyId, reason } = command
      if (state.status !== 'live' || state.placement.assemblyId !== assemblyId) return []
      return [{ type: 'AssetVanished', data: { assetId: state.id, uid: state.uid, at, reason, assemblyId } }]
    }
    default:
      return command satisfies never
  }
}
