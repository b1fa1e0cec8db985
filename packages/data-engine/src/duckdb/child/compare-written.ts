import type { AgreeingRow, ComparePlan, DifferingRow, KeptAgreeing, KeptDifferences } from '../../compare.ts'
import { idsColumn } from '../../kept-rows/format.ts'
import type { RowFormat } from '../../plan.ts'
import { type Fragment, raw } from '../../sql/fragment.ts'
import { placeRows, writeParquet } from '../kept-rows/rows.ts'
import { readSorted } from '../kept-rows/sql.ts'
import type { Pair } from '../sql/compare-pairs.ts'
import { agreements, differenceColumns, differences } from '../sql/compare-rows.ts'
import { jsonRows } from '../values.ts'
import type { Comparing } from './compare-side.ts'
import { read } from './database.ts'

const kinds = ['CHANGED', 'ONLY_LEFT', 'ONLY_RIGHT'] as const

/** Rows of two sides are wide, and are sorted in the same memory. */
const rowGroup = 20_480

/** Stores the rows of a query, sorted, in the folder `name`. */
async function written<Row>(
  { connection, context, pairs }: Comparing,
  name: string,
  query: Fragment,
  { format, preview, outputFolder, more }: Writing,
  rowOf: (row: { [name: string]: unknown }, of: (side: 'LEFT' | 'RIGHT') => { [column: string]: unknown }) => Row,
): Promise<Pick<KeptDifferences, 'stored' | 'files'> & { preview: Row[] }> {
  context.progress({ stage: 'WRITING', fraction: null })
  const columns = differenceColumns(pairs)
  const keeping = { connection, tempFolder: context.tempFolder, outputFolder }
  const { file, written: stored } = await writeParquet(keeping, name, query, rowGroup)
  const first = jsonRows(await read(connection, raw(`SELECT * FROM ${readSorted(file)} LIMIT ${preview}`)))
  const rows = first.map((row) =>
    rowOf(row, (side) =>
      Object.fromEntries(columns.flatMap((one) => (one.side === side ? [[one.column, row[one.name]]] : []))),
    ),
  )
  const all = [...more.before, ...shownColumns(pairs), ...more.after]
  const files = [await placeRows(keeping, name, { file, format, columns: all, isSorted: true })]
  return { stored, files, preview: rows }
}

interface Writing {
  format: RowFormat
  preview: number
  outputFolder: string
  /** Columns besides those of both sides. */
  more: { [place in 'before' | 'after']: readonly { name: string; dataType: string }[] }
}

const shownColumns = (pairs: readonly Pair[]) => differenceColumns(pairs).map(({ index: _, ...column }) => column)
const noneStored = { stored: 0, files: [], preview: [] }

/** Stores the rows that differ, and shows the first. */
export async function keptDifferences(
  comparing: Comparing,
  { limit, itemIds, ...plan }: NonNullable<ComparePlan['rows']>,
  count: number,
  outputFolder: string,
): Promise<KeptDifferences> {
  const { pairs } = comparing
  const shown = { count, columns: shownColumns(pairs) }
  if (count === 0) return { ...shown, ...noneStored }
  const more = {
    before: ['__difference', '__changed_columns'].map((name) => ({ name, dataType: 'VARCHAR' })),
    after: [{ name: idsColumn, dataType: 'BIGINT[]' }],
  }
  const query = differences(pairs, limit, itemIds)
  const rows = await written(
    comparing,
    'differing',
    query,
    { ...plan, outputFolder, more },
    (row, of): DifferingRow => {
      const difference = kinds.find((kind) => kind === row.__difference) ?? 'CHANGED'
      return {
        difference,
        changedColumns: Array.isArray(row.__changed_columns) ? row.__changed_columns.map(String) : [],
        left: difference === 'ONLY_RIGHT' ? null : of('LEFT'),
        right: difference === 'ONLY_LEFT' ? null : of('RIGHT'),
      }
    },
  )
  return { ...shown, ...rows }
}

/** Stores the rows that agree, and shows the first. */
export async function keptAgreeing(
  comparing: Comparing,
  plan: NonNullable<ComparePlan['agreeing']>,
  count: number,
  outputFolder: string,
): Promise<KeptAgreeing> {
  const { pairs } = comparing
  const shown = { count, columns: shownColumns(pairs) }
  if (count === 0) return { ...shown, ...noneStored }
  const writing = { ...plan, outputFolder, more: { before: [], after: [] } }
  const rows = await written(
    comparing,
    'agreeing',
    agreements(pairs),
    writing,
    (_row, of): AgreeingRow => ({ left: of('LEFT'), right: of('RIGHT') }),
  )
  return { ...shown, ...rows }
}
