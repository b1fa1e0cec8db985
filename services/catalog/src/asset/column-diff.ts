import type { DiscoveredColumn } from '@assay/data-engine'

/** A column in a crawl. `path`: names from below the table; more than one for the leaf of a STRUCT. */
export type FoundColumn = { path: string[]; dataType: string; nullable: boolean }

/** A column in the catalog. A vanished column is kept, so that it has the same id if it returns. */
export type KnownColumn = FoundColumn & { id: number; isDeleted: boolean }

export type ColumnState = { id: number; dataType: string; nullable: boolean }

export interface ColumnDiff {
  added: FoundColumn[]
  returned: ColumnState[]
  changed: (ColumnState & { was: { dataType: string; nullable: boolean } })[]
  removed: number[]
  reordered: boolean
}

/** Identifies a column: its path below the table. */
export function columnKey(path: readonly string[]): string {
  return JSON.stringify(path)
}

/** The columns and their STRUCT leaves as one list, each column before its leaves. A repeated path counts once. */
export function flatColumns(columns: readonly DiscoveredColumn[], above: readonly string[] = []): FoundColumn[] {
  const seen = new Set<string>()
  const flat: FoundColumn[] = []
  for (const column of columns) {
    const path = [...above, column.name]
    if (seen.has(column.name)) continue
    seen.add(column.name)
    flat.push({ path, dataType: column.dataType, nullable: column.nullable }, ...flatColumns(column.children, path))
  }
  return flat
}

function isInOrder(known: readonly KnownColumn[], found: readonly FoundColumn[]): boolean {
  const live = known.filter((column) => !column.isDeleted).map((column) => columnKey(column.path))
  const now = new Set(found.map((column) => columnKey(column.path)))
  const before = new Set(live)
  const kept = live.filter((key) => now.has(key))
  const order = found.map((column) => columnKey(column.path)).filter((key) => before.has(key))
  return kept.every((key, index) => order[index] === key)
}

/** The differences between the columns in the catalog and the columns that a crawl found. Both lists are in order. */
export function diffColumns(known: readonly KnownColumn[], found: readonly FoundColumn[]): ColumnDiff {
  const byKey = new Map(known.map((column) => [columnKey(column.path), column]))
  const foundKeys = new Set(found.map((column) => columnKey(column.path)))
  const diff: ColumnDiff = { added: [], returned: [], changed: [], removed: [], reordered: !isInOrder(known, found) }
  for (const column of found) {
    const before = byKey.get(columnKey(column.path))
    const { dataType, nullable } = column
    if (before === undefined) diff.added.push(column)
    else if (before.isDeleted) diff.returned.push({ id: before.id, dataType, nullable })
    else if (before.dataType !== dataType || before.nullable !== nullable)
      diff.changed.push({
        id: before.id,
        dataType,
        nullable,
        was: { dataType: before.dataType, nullable: before.nullable },
      })
  }
  for (const column of known)
    if (!column.isDeleted && !foundKeys.has(columnKey(column.path))) diff.removed.push(column.id)
  return diff
}

/** Whether nothing changed. */
export function isEmptyDiff(diff: ColumnDiff): boolean {
  return !diff.reordered && diff.added.length + diff.returned.length + diff.changed.length + diff.removed.length === 0
}
