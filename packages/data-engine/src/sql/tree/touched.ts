import { z } from 'zod'
import { lowered, type Node, queriesOf } from './nodes.ts'
import { usesIn } from './uses.ts'

/**
 * What an expression or a SELECT of people touches, by DuckDB's own parse of it; names are in lower case (ASCII letters only).
 * It errs towards more: a name that the text itself defines may be among the columns.
 *
 * `columns`: names of columns. `fields`: names around them, inner fields and tables, which could be a column's where another
 * table is meant. `allColumns`: whole rows, or columns by a star, a pattern or their place. `tables`: those after FROM, as they
 * were written, without those that a WITH defines.
 */
export const touched = z.object({
  columns: z.array(z.string()),
  fields: z.array(z.string()),
  allColumns: z.boolean(),
  tables: z.array(z.string()),
})
export type Touched = z.infer<typeof touched>

/** What a parsed text touches. Pure. */
export function touchedBy(tree: Node): Touched {
  const uses = [...usesIn(queriesOf(tree))]
  const rows = new Set(['asset'])
  for (const use of uses) {
    if (use.kind === 'alias') rows.add(lowered(use.name))
    if (use.kind === 'table') rows.add(lowered(use.name))
  }
  const [columns, fields, tables] = [new Set<string>(), new Set<string>(), new Set<string>()]
  let allColumns = false
  for (const use of uses) {
    if (use.kind === 'columns') allColumns = true
    if (use.kind === 'table') {
      tables.add(use.name)
      // Columns that are called otherwise cannot be told by their names.
      if (use.renames) allColumns = true
    }
    if (use.kind !== 'column') continue
    const path = use.path.map(lowered)
    const at = path.length > 1 && rows.has(path[0] ?? '') ? 1 : 0
    for (const [index, name] of path.entries()) (index === at ? columns : fields).add(name)
    // The name of a table is its whole row; so may be the last part of a qualified one.
    if (rows.has(path.at(-1) ?? '')) allColumns = true
  }
  return { columns: [...columns], fields: [...fields], allColumns, tables: [...tables] }
}

/** What several texts touch. `undefined`: of one of them it is not known. Pure. */
export function touchedTogether(parts: readonly (Touched | undefined)[]): Touched | undefined {
  const known = parts.flatMap((part) => part ?? [])
  if (known.length < parts.length) return undefined
  const all = (key: 'columns' | 'fields' | 'tables') => [...new Set(known.flatMap((part) => part[key]))]
  const allColumns = known.some((part) => part.allColumns)
  return { columns: all('columns'), fields: all('fields'), allColumns, tables: all('tables') }
}

/** The columns of a table, structures as one, and which of them are protected. */
export interface Readable {
  columns: readonly string[]
  isHidden: (column: string) => boolean
}

/** Names that look the same count as the same, although the engine tells some of them apart. */
const folded = (name: string) => name.normalize('NFC').toLowerCase()

/**
 * Whether a text that touches this may read a protected column of the table. `undefined`: what it touches is not known. A name
 * that is no column of the table may stand for any. Pure.
 */
export function mayReadHidden(touched: Touched | undefined, { columns, isHidden }: Readable): boolean {
  const hidden = columns.filter(isHidden)
  if (columns.length > 0 && hidden.length === 0) return false
  if (touched === undefined || touched.allColumns) return true
  const open = new Set(columns.map(folded))
  const secret = new Set(hidden.map(folded))
  for (const name of secret) open.delete(name)
  return (
    touched.columns.some((name) => !open.has(folded(name))) || touched.fields.some((name) => secret.has(folded(name)))
  )
}

/**
 * The tables beside `asset` that a SELECT reads, by its names for them. `quoted`: names in double quotes in it, by which tables
 * are found; the engine then compares names without regard to case. Pure.
 */
export function otherTables({ tables }: Touched, quoted: readonly string[]): string[] {
  const others = new Set(tables.filter((name) => lowered(name) !== 'asset'))
  const same = new Set([...others].map(folded))
  return [...new Set([...others, ...quoted.filter((name) => same.has(folded(name)))])]
}
