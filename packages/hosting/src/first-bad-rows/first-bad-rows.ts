import type { Permission } from '@assay/contracts'

/** The first rows that failed the worst item of a run, in few and short columns, for texts that people read. */
export interface BadRows {
  /** Name of the item. */
  item: string
  /** Number of all rows that failed the item. */
  count: number
  /** At most 5 names, those that the item reads first. Longer names are cut. */
  columns: string[]
  /** At most 3 rows, each with one text per column. Longer texts are cut, and end with an ellipsis; null is NULL. */
  rows: (string | null)[][]
}

/** Whose rights decide what is shown, and of which run. */
export interface BadRowsAsked {
  tenant: string
  user: string
  permissions: ReadonlySet<Permission>
  executionId: number
  signal: AbortSignal
}

/**
 * The rows as `GET .../executions/{id}/rows` shows them to a caller with these permissions. `undefined`: the run has no
 * such rows, no longer has them, or the caller may not read them. Throws if the rows could not be read, which says
 * nothing about whether there are any.
 */
export type FirstBadRows = (asked: BadRowsAsked) => Promise<BadRows | undefined>
