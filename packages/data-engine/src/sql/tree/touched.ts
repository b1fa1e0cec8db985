import { lowered, type Node, queriesOf } from './nodes.ts'
import { usesIn } from './uses.ts'

/**
 * What an expression or a SELECT of people touches, by DuckDB's own parse of it. It errs towards more: `columns` has every name
 * that may be a column's or an inner field's, also where it turns out to be another's. A column of a table is touched where
 * `allColumns` is true, or where `columns` has its name with ASCII letters in lower case.
 */
export interface Touched {
  /** Names in lower case, each part of a path on its own (`asset.address.city`: three names). */
  columns: string[]
  /** Whole rows, or columns by a star, a pattern or their place: every column of every table that it reads. */
  allColumns: boolean
  /** Tables after FROM, as they were written, without those that a WITH defines. */
  tables: string[]
}

/** What a parsed text touches. Pure. */
export function touchedBy(tree: Node): Touched {
  const uses = [...usesIn(queriesOf(tree))]
  const rows = new Set(['asset'])
  for (const use of uses) {
    if (use.kind === 'alias') rows.add(lowered(use.name))
    if (use.kind === 'table') rows.add(lowered(use.name))
  }
  const columns = new Set<string>()
  const tables = new Set<string>()
  let allColumns = false
  for (const use of uses) {
    if (use.kind === 'columns') allColumns = true
    if (use.kind === 'table') {
      tables.add(use.name)
      // Columns that are called otherwise cannot be told by their names.
      if (use.renames) allColumns = true
    }
    if (use.kind !== 'column') continue
    for (const name of use.path) columns.add(lowered(name))
    // The name of a table is its whole row; so may be the last part of a qualified one.
    if (rows.has(lowered(use.path.at(-1)))) allColumns = true
  }
  return { columns: [...columns], allColumns, tables: [...tables] }
}
