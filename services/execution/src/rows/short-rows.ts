import { shortText } from '@assay/contracts'
import { findColumnPath, keptName } from '@assay/data-engine'
import type { BadRows } from '@assay/hosting/ports'
import type { KeptFile } from '../execution/run.ts'
import { comparedRows } from './compared-rows.ts'
import type { Preview } from './preview.ts'

export const maxRows = 3
const maxColumns = 5
const maxText = 60
const maxName = 200

/** Column of compared rows that says how they differ. */
const differenceColumn = '__difference'
const changedColumn = '__changed_columns'

function cellOf(value: unknown): string | null {
  if (value === null || value === undefined) return null
  return shortText(typeof value === 'object' ? JSON.stringify(value) : String(value), maxText)
}

interface Shown {
  /** Name of the item. */
  name: string
  /** Number of all rows that failed it. */
  count: number
  /** The columns that the item is about. */
  telling: readonly string[]
  kept: Pick<KeptFile, 'sides'>
  fields: Preview['fields']
  /** Already masked. */
  rows: Preview['rows']
}

/** Names of the stored columns that show why the rows failed. Of compared rows: how they differ, and the changed values. */
function tellingColumns({ telling, kept, fields, rows }: Shown): string[] {
  const { sides } = kept
  if (sides !== undefined) {
    const changed = new Set(comparedRows(rows, kept).flatMap(({ changedColumns = [] }) => changedColumns))
    const values = sides.filter(({ column }) => changed.has(column)).map(({ name }) => name)
    return [differenceColumn, ...values.slice(0, maxColumns - 2)]
  }
  const columns = fields.map(({ name, type: dataType }) => ({ name, dataType }))
  return telling.map((name) => keptName(findColumnPath(columns, name)?.column ?? name))
}

/** The rows in few and short columns, the telling ones first. At most three rows. Pure. */
export function shortRows(of: Shown): BadRows {
  const known = of.fields.map(({ name }) => name).filter((name) => name !== changedColumn)
  const telling = new Set(tellingColumns(of).filter((name) => known.includes(name)))
  const columns = [...telling, ...known.filter((name) => !telling.has(name))].slice(0, maxColumns)
  return {
    item: shortText(of.name, maxName),
    count: of.count,
    columns: columns.map((name) => shortText(name === differenceColumn ? 'difference' : name, maxText)),
    rows: of.rows.slice(0, maxRows).map(({ values }) => columns.map((name) => cellOf(values[name]))),
  }
}
