import { createHash } from 'node:crypto'
import { AssayError } from '@assay/service-kit/errors'

/** A table or view of a database, as a crawl lists it. */
export interface Entry {
  assetType: 'TABLE' | 'VIEW'
  /** Of a view: the statement that made it. */
  definition: string
}

/** What a view itself names; `null` if unknown. */
type DirectReads<T extends Entry> = (view: T) => readonly T[] | null

/**
 * `reads`: for a view, what it reads in the same database, directly or through other views; everything else in it if
 * that is unknown. `definition`: for a view, as by `definitionOf`.
 */
export interface OrderedEntry<T extends Entry> {
  entry: T
  reads?: readonly T[]
  definition?: string
}

/** What views read, directly or through other views, in the order in which that became known. */
type KnownReads<T extends Entry> = Map<T, ReadonlySet<T> | null>

/** Determines what `view` and the views below it read, unless that is known. Cycles count as unknown. */
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
  // Moves the view after those that it reads.
  known.delete(view)
  known.set(view, all)
  return all
}

/**
 * Tables in their order, then views, each after those that it reads. If `direct` is unknown for a view, it is unknown
 * for all views that read it as well. Pure.
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
 * Identifies a view's definition, including those of the views that it reads. If its reads are unknown, its own only:
 * it then counts as reading everything, whatever the others are. Pure.
 */
export function definitionOf<T extends Entry>(view: T, direct: DirectReads<T>): string {
  return hashOf(view, readsOf(view, direct, new Map()))
}

/**
 * Throws `unprocessable` if a table of a database is a view with another definition than at its crawl, or has become or
 * ceased to be one.
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
