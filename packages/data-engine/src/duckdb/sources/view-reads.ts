import { createHash } from 'node:crypto'

/** A table or view of a database, as a crawl lists it. */
interface Entry {
  assetType: 'TABLE' | 'VIEW'
}

/**
 * `reads`: for a view, what it reads in the same database, directly or through other views; everything else in it if
 * that is unknown.
 */
export interface OrderedEntry<T extends Entry> {
  entry: T
  reads?: readonly T[]
}

/**
 * Tables in their order, then views, each after those that it reads. `direct`: what a view itself names; `null` if
 * unknown, which then applies to all views that read it as well, and to views that read each other in a cycle. Pure.
 */
export function inReadingOrder<T extends Entry>(
  entries: readonly T[],
  direct: (view: T) => readonly T[] | null,
): OrderedEntry<T>[] {
  const ordered: OrderedEntry<T>[] = entries.filter(isTable).map((entry) => ({ entry }))
  const known = new Map<T, ReadonlySet<T> | null>()

  function readsOf(view: T): ReadonlySet<T> | null {
    const before = known.get(view)
    if (before !== undefined) return before
    // A view that is reached again before it is known is part of a cycle.
    known.set(view, null)
    let all: Set<T> | null = new Set<T>()
    for (const read of direct(view) ?? [view]) {
      const below = isTable(read) ? new Set<T>() : readsOf(read)
      all = all === null || below === null ? null : new Set([...all, read, ...below])
    }
    known.set(view, all)
    const reads = all ?? entries.filter((entry) => entry !== view)
    ordered.push({ entry: view, reads: [...reads] })
    return all
  }

  for (const entry of entries) if (!isTable(entry)) readsOf(entry)
  return ordered
}

/** Identifies a view's definition, including those of the views that it reads. Pure. */
export function definitionOf(view: { definition: string }, reads: readonly { definition: string }[]): string {
  const all = [view.definition, ...reads.map(({ definition }) => definition).sort()]
  return createHash('sha256').update(JSON.stringify(all)).digest('hex').slice(0, 32)
}

function isTable({ assetType }: Entry): boolean {
  return assetType === 'TABLE'
}
