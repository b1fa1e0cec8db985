import { createHash } from 'node:crypto'
import { AssayError } from '@assay/service-kit/errors'

/** A table or view of a database, as a crawl lists it. */
export interface Entry {
  assetType: 'TABLE' | 'VIEW'
  /** The statement that created the view; empty for a table. */
  definition: string
}

/** The tables and views that a view names; `null` if unknown. */
type DirectReads<T extends Entry> = (view: T) => readonly T[] | null

/**
 * For a view, `reads` has the tables and views that it reads, directly or through other views. If these are unknown,
 * `reads` has all other tables and views of the database. `definition`: see `definitionOf`.
 */
export interface OrderedEntry<T extends Entry> {
  entry: T
  reads?: readonly T[]
  definition?: string
}

/**
 * The tables and views that each view reads, directly or through other views. Views come after the views that they
 * read.
 */
type KnownReads<T extends Entry> = Map<T, ReadonlySet<T> | null>

/** Adds to `known` what `view`, and the views below it, read. Cycles count as unknown. */
function readsOf<T extends Entry>(view: T, direct: DirectReads<T>, known: KnownReads<T>): ReadonlySet<T> | null {
  const before = known.get(view)
  if (before !== undefined) return before
  // A view that is reached again before it is known is part of a cycle.
  known.set(view, null)
  let all: Set<T> | null = new Set<T>()
  for (const read of direct(view) ?? [view]) {
    const below = isTable(read) ? new Set<T>() : readsOf(read, direct, known)
    all = all === null || below === null ? null : new Set([...all, read, ...below])
  }
  // Moves the view after the views that it reads.
  known.delete(view)
  known.set(view, all)
  return all
}

/**
 * Tables in their order, then views, each after the views that it reads. If `direct` is unknown for a view, it is
 * unknown for all views that read it as well. Pure.
 */
export function inReadingOrder<T extends Entry>(entries: readonly T[], direct: DirectReads<T>): OrderedEntry<T>[] {
  const known: KnownReads<T> = new Map()
  for (const entry of entries) if (!isTable(entry)) readsOf(entry, direct, known)
  const views = [...known].map(([entry, reads]) => ({
    entry,
    reads: reads === null ? entries.filter((other) => other !== entry) : [...reads],
    definition: hashOf(entry, reads),
  }))
  return [...entries.filter(isTable).map((entry) => ({ entry })), ...views]
}

/**
 * A hash of the definitions of a view and of the views that it reads. If it is unknown what the view reads, only of its
 * own definition; the view then counts as reading everything anyway. Pure.
 */
export function definitionOf<T extends Entry>(view: T, direct: DirectReads<T>): string {
  return hashOf(view, readsOf(view, direct, new Map()))
}

/**
 * Throws `unprocessable` if the definition of a view differs from the one at its crawl, or if a table has become a view
 * or a view a table.
 */
export function requireSameDefinition<T extends Entry & { name: string }>(
  entry: T,
  crawled: string | undefined,
  direct: DirectReads<T>,
): void {
  const definition = isTable(entry) ? undefined : definitionOf(entry, direct)
  if (definition === crawled) return
  throw new AssayError('unprocessable', `The view "${entry.name}" was redefined in its source. Crawl the source again.`)
}

function hashOf(view: Entry, reads: ReadonlySet<Entry> | null): string {
  const below = reads === null ? null : [...reads].map(({ definition }) => definition).sort()
  return createHash('sha256')
    .update(JSON.stringify([view.definition, below]))
    .digest('hex')
    .slice(0, 32)
}

function isTable({ assetType }: Entry): boolean {
  return assetType === 'TABLE'
}
