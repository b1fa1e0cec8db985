import { z } from 'zod'
import { lowered, type Node, queriesOf } from './nodes.ts'
import { usesIn } from './uses.ts'

/**
 * The columns and tables that a user's expression or SELECT reads, from DuckDB's own parse tree; names are in lower
 * case (ASCII letters only). The lists may contain too much, but never too little: names that the text itself defines
 * may be among the columns. `fields`: the other names in a column's path (inner fields, tables), which could be columns
 * of another table. `allColumns`: the text reads whole rows, or selects columns by a star, a pattern or their position.
 * `tables`: names after FROM, as written, without names that a WITH defines.
 */
export const touched = z.object({
  columns: z.array(z.string()),
  fields: z.array(z.string()),
  allColumns: z.boolean(),
  tables: z.array(z.string()),
})
export type Touched = z.infer<typeof touched>

/** The columns and tables that a parsed text reads. Pure. */
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
      // Columns that get new names cannot be identified.
      if (use.renames) allColumns = true
    }
    if (use.kind !== 'column') continue
    const path = use.path.map(lowered)
    const at = path.length > 1 && rows.has(path[0] ?? '') ? 1 : 0
    for (const [index, name] of path.entries()) (index === at ? columns : fields).add(name)
    // The name of a table stands for its whole row. The last part of a qualified name may be such a name, too.
    if (rows.has(path.at(-1) ?? '')) allColumns = true
  }
  return { columns: [...columns], fields: [...fields], allColumns, tables: [...tables] }
}

/** The union of what several texts read; `undefined` if one of them is unknown. Pure. */
export function touchedTogether(parts: readonly (Touched | undefined)[]): Touched | undefined {
  const known = parts.flatMap((part) => part ?? [])
  if (known.length < parts.length) return undefined
  const all = (key: 'columns' | 'fields' | 'tables') => [...new Set(known.flatMap((part) => part[key]))]
  const allColumns = known.some((part) => part.allColumns)
  return { columns: all('columns'), fields: all('fields'), allColumns, tables: all('tables') }
}

/** The top-level columns of a table, and which of them are protected. */
export interface Readable {
  columns: readonly string[]
  isHidden: (column: string) => boolean
}

/**
 * The form in which names are compared. It ignores differences that people cannot see, although the engine
 * distinguishes some of these names.
 */
const folded = (name: string) => name.normalize('NFC').toLowerCase()

/**
 * Whether a text may read a protected column of the table. `touched` is `undefined` if it is unknown what the text
 * reads. A name that is not a column of the table may mean any column. Pure.
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
 * The names of the tables other than `asset` that a SELECT reads. `quoted`: the names in double quotes in the SELECT,
 * as written. They are needed because tables are looked up by exact name, while the engine ignores case. Pure.
 */
export function otherTables({ tables }: Touched, quoted: readonly string[]): string[] {
  const others = new Set(tables.filter((name) => lowered(name) !== 'asset'))
  const same = new Set([...others].map(folded))
  return [...new Set([...others, ...quoted.filter((name) => same.has(folded(name)))])]
}
