import type { DatasetLocator, Declared } from '@assay/data-engine'
import { type ColumnState, columnKey } from './column-diff.ts'

/** A new column, with the id and UID that it keeps forever. */
export type NewColumn = {
  id: number
  uid: string
  path: string[]
  /** The table, or the STRUCT column that contains it. */
  parentId: number
  dataType: string
  nullable: boolean
}

/** Where an asset belongs. Changes when its assembly is created again, or when a table becomes a view. */
export type Placement = {
  parentId: number | null
  assetTypeId: number
  assemblyId: number
  assemblyName: string
  sourceTypeId: number
}

/**
 * The facts of a table other than its columns. `locator` belongs to the engine and is in no answer, because it has host
 * paths.
 */
export type Facts = {
  rowCount: number | null
  sizeBytes: number | null
  lastChangedAt: string | null
  fileCount: number | null
  locator: DatasetLocator
  /** For a view: the tables that it reads. */
  sourceIds?: number[]
  /** Comments and keys of a table in a database. */
  declared?: Declared
}

/** Every event names its asset, because the stream's name has only the hash of the UID. */
type OfAsset = { assetId: number; uid: string; at: string }

export type AssetDiscovered = {
  type: 'AssetDiscovered'
  data: OfAsset & {
    name: string
    /** Identifies the asset in the next crawl: names from the assembly (its first name) down. */
    naturalPath: string[]
    placement: Placement
    columns: NewColumn[]
    /** `null` for folders, databases and schemas. */
    facts: Facts | null
  }
}
export type AssetSchemaChanged = {
  type: 'AssetSchemaChanged'
  data: OfAsset & {
    added: NewColumn[]
    returned: ColumnState[]
    changed: (ColumnState & { was: { dataType: string; nullable: boolean } })[]
    removed: number[]
    /** Ids of the live columns in order, after the event. */
    order: number[]
  }
}
export type AssetFactsObserved = { type: 'AssetFactsObserved'; data: OfAsset & { facts: Facts } }
export type AssetPlaced = { type: 'AssetPlaced'; data: OfAsset & { placement: Placement } }
export type AssetVanished = { type: 'AssetVanished'; data: OfAsset & { reason: VanishReason; assemblyId: number } }
export type AssetReturned = { type: 'AssetReturned'; data: OfAsset & { placement: Placement } }

export type VanishReason = 'not-found-by-crawl' | 'assembly-deleted' | 'view-deleted'

export type AssetEvent =
  | AssetDiscovered
  | AssetSchemaChanged
  | AssetFactsObserved
  | AssetPlaced
  | AssetVanished
  | AssetReturned

export type Column = NewColumn & { isDeleted: boolean; createdAt: string; updatedAt: string }

export type KnownAsset = {
  status: 'live' | 'vanished'
  id: number
  uid: string
  name: string
  naturalPath: string[]
  placement: Placement
  /** In the order of the source, vanished columns last. */
  columns: Column[]
  facts: Facts | null
  /** When its columns last changed. Absent if they are as they were discovered. */
  schemaChangedAt?: string
  /** Why it vanished; `null` while it is live. */
  vanishReason: VanishReason | null
  createdAt: string
  updatedAt: string
}
export type AssetState = { status: 'absent' } | KnownAsset

export const initialAsset: AssetState = { status: 'absent' }

function newColumn(column: NewColumn, at: string): Column {
  return { ...column, isDeleted: false, createdAt: at, updatedAt: at }
}

function changeColumns(columns: readonly Column[], change: AssetSchemaChanged['data']): Column[] {
  const removed = new Set(change.removed)
  const states = new Map([...change.returned, ...change.changed].map((state) => [state.id, state]))
  const next = columns.map((column): Column => {
    const state = states.get(column.id)
    if (removed.has(column.id)) return { ...column, isDeleted: true, updatedAt: change.at }
    if (state === undefined) return column
    const { dataType, nullable } = state
    return { ...column, dataType, nullable, isDeleted: false, updatedAt: change.at }
  })
  next.push(...change.added.map((column) => newColumn(column, change.at)))
  const ranks = new Map(change.order.map((id, index) => [id, index]))
  const rankOf = (column: Column) => ranks.get(column.id) ?? change.order.length
  return next.sort((a, b) => rankOf(a) - rankOf(b) || a.id - b.id)
}

/** Live columns vanish and return together with their table. */
function touched(columns: readonly Column[], updatedAt: string): Column[] {
  return columns.map((column) => (column.isDeleted ? column : { ...column, updatedAt }))
}

/** The state after an event. */
export function evolveAsset(state: AssetState, event: AssetEvent): AssetState {
  if (event.type === 'AssetDiscovered') {
    const { assetId, uid, name, naturalPath, placement, columns, facts, at } = event.data
    return {
      status: 'live',
      id: assetId,
      uid,
      name,
      naturalPath,
      placement,
      columns: columns.map((column) => newColumn(column, at)),
      facts,
      vanishReason: null,
      createdAt: at,
      updatedAt: at,
    }
  }
  if (state.status === 'absent') return state
  const updatedAt = event.data.at
  switch (event.type) {
    case 'AssetSchemaChanged':
      return { ...state, columns: changeColumns(state.columns, event.data), schemaChangedAt: updatedAt, updatedAt }
    case 'AssetFactsObserved':
      return { ...state, facts: event.data.facts, updatedAt }
    case 'AssetPlaced':
      return { ...state, placement: event.data.placement, updatedAt }
    case 'AssetVanished':
      return {
        ...state,
        status: 'vanished',
        vanishReason: event.data.reason,
        columns: touched(state.columns, updatedAt),
        updatedAt,
      }
    case 'AssetReturned': {
      const { placement } = event.data
      const columns = touched(state.columns, updatedAt)
      return { ...state, status: 'live', vanishReason: null, placement, columns, updatedAt }
    }
    default:
      return event satisfies never
  }
}

/** The live columns, in the order of the source. */
export function liveColumns(state: KnownAsset): Column[] {
  return state.columns.filter((column) => !column.isDeleted)
}

/** Whether two lists of names are the same path. */
export function isSamePath(one: readonly string[], other: readonly string[]): boolean {
  return columnKey(one) === columnKey(other)
}
