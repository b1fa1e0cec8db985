import { AssayError, messageOf } from '@assay/service-kit/errors'
import type { DuckDBConnection, DuckDBValue } from '@duckdb/node-api'
import type { Compared, ComparedSide, ComparePlan, DifferingRow, KeptDifferences } from '../../compare.ts'
import { idsColumn } from '../../kept-rows/format.ts'
import type { Rows } from '../../sql/compile.ts'
import { type Fragment, raw } from '../../sql/fragment.ts'
import { columnFinder } from '../../sql/predicate/column.ts'
import type { Touched } from '../../sql/tree/touched.ts'
import { duckdbDialect } from '../dialect.ts'
import { placeRows, writeParquet } from '../kept-rows/rows.ts'
import { readKept } from '../kept-rows/sql.ts'
import { bitmapFits } from '../sql/bitmap.ts'
import { requiresMoreThanEquality } from '../sql/compare-agreement.ts'
import {
  bucketRows,
  bucketTable,
  differingBuckets,
  distinctKeys,
  keyFacts,
  repeatedInSame,
} from '../sql/compare-buckets.ts'
import { type Pair, pairOf, type SideName, wholeKeyOf } from '../sql/compare-pairs.ts'
import {
  addDifferences,
  bytesOf,
  countPaired,
  countRepeated,
  differenceColumns,
  differences,
  pairedRows,
  partOf,
  repeatedKeys,
  restTable,
  sideTable,
  unequalRows,
} from '../sql/compare-rows.ts'
import { jsonRows } from '../values.ts'
import { read, readRow } from './database.ts'
import { engineFailure } from './failure.ts'
import { boundsOf } from './groups.ts'
import { compileChecked, openLocked, orChanged, type RunContext, type Session } from './session.ts'

const sides = ['left', 'right'] as const
const kinds = ['CHANGED', 'ONLY_LEFT', 'ONLY_RIGHT'] as const

/** An open side, and the condition for its rows. */
interface OpenSide {
  side: SideName
  session: Session
  rows: Rows
  touched: Touched | null
}

/** Names the side in an error about one table. */
function ofSide(side: SideName, error: unknown, hidden: readonly string[] = []): unknown {
  const failure = engineFailure(error, hidden)
  if (failure.code === 'too-large' || messageOf(error).startsWith('INTERRUPT')) return error
  return new AssayError(failure.code, `The ${side} table: ${failure.message}`, { cause: error })
}

async function openSide(
  context: RunContext,
  plan: ComparePlan,
  side: SideName,
  open: (index: number) => Promise<Session>,
): Promise<OpenSide> {
  const session = await open(sides.indexOf(side))
  const { rows, filterError, touched } = await compileChecked(session, context, plan[side].filter, [])
  if (filterError !== null) throw new AssayError('invalid', `The filter cannot be used: ${filterError}`)
  return { side, session, rows, touched: touched[0]?.touched ?? null }
}

/** A comparison in progress. */
interface Comparing {
  context: RunContext
  connection: DuckDBConnection
  pairs: readonly Pair[]
  hasKey: boolean
  left: OpenSide
  right: OpenSide
}

const numbers = (row: readonly DuckDBValue[]) => row.map((value) => Number(value ?? 0))
const run = async (connection: DuckDBConnection, ...statements: Fragment[]) => {
  for (const statement of statements) await readRow(connection, statement)
}

interface Totals {
  rows: number
  nullKeys: number
  least: DuckDBValue
  most: DuckDBValue
}

/** Summarises a side in buckets. */
async function summed({ connection, pairs, hasKey }: Comparing, { side, rows, session }: OpenSide): Promise<Totals> {
  try {
    await run(connection, bucketTable(side, pairs, rows))
  } catch (error) {
    throw ofSide(side, error, session.hidden)
  }
  const [count] = await readRow(connection, bucketRows(side))
  const [nulls, least = null, most = null] = hasKey ? await readRow(connection, keyFacts(side, pairs, rows)) : []
  return { rows: Number(count ?? 0), nullKeys: Number(nulls ?? 0), least, most }
}

/** The number of keys with several rows. Counts only on the left side, in buckets that are equal on both sides. */
async function repeatedKeysInSame(
  comparing: Comparing,
  { rows: count, nullKeys, least, most }: Totals,
): Promise<number> {
  const { connection, pairs, left, context, hasKey } = comparing
  if (!hasKey) return 0
  const { memoryMb, threads } = context.limits
  const key = wholeKeyOf(pairs)
  const bounds = key && boundsOf(least, most)
  if (key && bounds && nullKeys <= 1 && bitmapFits(bounds, count, memoryMb, threads)) {
    const [values, distinct] = numbers(await readRow(connection, distinctKeys(key, left.rows, bounds)))
    if (values === distinct) return 0
  }
  const [repeated = 0] = numbers(await readRow(connection, repeatedInSame(pairs, left.rows)))
  return repeated
}

/** The result for the rows of differing buckets. */
interface BucketCounts {
  changed: number
  warned: number
  onlyLeft: number
  onlyRight: number
  leftRepeated: number
  rightRepeated: number
  changedColumns: number[]
}

/** The share of a run's memory for the values of one part. Groups and joins take several times that. */
const partOfMemory = 1 / 6

/** Compares the rows of differing buckets, in parts that fit into memory. */
async function compareBuckets(comparing: Comparing, keeps: boolean): Promise<BucketCounts> {
  const { connection, context, pairs, left, right, hasKey } = comparing
  await run(connection, sideTable('left', pairs, left.rows), sideTable('right', pairs, right.rows))
  const bytes = await Promise.all(sides.map(async (side) => numbers(await readRow(connection, bytesOf(side, pairs)))))
  const most = context.limits.memoryMb * 1_048_576 * partOfMemory
  const parts = Math.max(1, Math.ceil(bytes.flat().reduce((sum, one) => sum + one, 0) / most))
  const all: BucketCounts = { ...noDifferences, changedColumns: pairs.map(() => 0) }
  for (let part = 0; part < parts; part += 1) {
    context.signal.throwIfAborted()
    for (const side of sides) await run(connection, partOf(side, { part, parts }))
    await run(connection, unequalRows(pairs), repeatedKeys(pairs))
    for (const side of sides) await run(connection, restTable(side, pairs))
    await run(connection, pairedRows(pairs))
    const [paired = 0, changed = 0, warned = 0, ...columns] = numbers(await readRow(connection, countPaired(pairs)))
    const counted = sides.map((side) => readRow(connection, raw(`SELECT count(*) FROM assay_rest_${side}`)))
    const [leftRest = 0, rightRest = 0] = (await Promise.all(counted)).map(([count]) => Number(count ?? 0))
    all.changed += changed
    all.warned += warned
    all.onlyLeft += leftRest - paired
    all.onlyRight += rightRest - paired
    all.changedColumns = all.changedColumns.map((sum, index) => sum + (columns[index] ?? 0))
    const [leftRepeated = 0, rightRepeated = 0] = hasKey ? numbers(await readRow(connection, countRepeated)) : []
    all.leftRepeated += leftRepeated
    all.rightRepeated += rightRepeated
    if (keeps) await run(connection, addDifferences(pairs, { part }))
  }
  for (const side of sides) await run(connection, raw(`DROP TABLE assay_all_${side}`))
  return all
}

async function kept(
  { connection, context, pairs }: Comparing,
  { format, limit, preview: previewed, itemIds }: NonNullable<ComparePlan['rows']>,
  count: number,
  outputFolder: string,
): Promise<KeptDifferences> {
  const columns = differenceColumns(pairs)
  const shown = columns.map(({ index: _, ...column }) => column)
  if (count === 0) return { count, files: [], columns: shown, preview: [] }
  context.progress({ stage: 'WRITING', fraction: null })
  const keeping = { connection, tempFolder: context.tempFolder, outputFolder }
  const { file } = await writeParquet(keeping, 'differing', differences(pairs, limit, itemIds))
  const first = jsonRows(await read(connection, raw(`SELECT * FROM ${readKept(file)} LIMIT ${previewed}`)))
  const preview = first.map((row): DifferingRow => {
    const difference = kinds.find((kind) => kind === row.__difference) ?? 'CHANGED'
    const of = (side: 'LEFT' | 'RIGHT') =>
      Object.fromEntries(columns.flatMap((column) => (column.side === side ? [[column.column, row[column.name]]] : [])))
    return {
      difference,
      changedColumns: Array.isArray(row.__changed_columns) ? row.__changed_columns.map(String) : [],
      left: difference === 'ONLY_RIGHT' ? null : of('LEFT'),
      right: difference === 'ONLY_LEFT' ? null : of('RIGHT'),
    }
  })
  const own = ['__difference', '__changed_columns'].map((name) => ({ name, dataType: 'VARCHAR' }))
  const ids = { name: idsColumn, dataType: 'BIGINT[]' }
  const files = [await placeRows(keeping, 'differing', { file, format, columns: [...own, ...shown, ids] })]
  return { count, files, columns: shown, preview }
}

const noDifferences: BucketCounts = {
  changed: 0,
  warned: 0,
  onlyLeft: 0,
  onlyRight: 0,
  changedColumns: [],
  leftRepeated: 0,
  rightRepeated: 0,
}

/**
 * Compares two tables. Computes checksums of buckets of keys on each side, then compares only the rows of buckets whose
 * checksums differ. Spills to the temporary space. Throws `unprocessable` if, for example, files changed meanwhile.
 */
export async function compare(context: RunContext, plan: ComparePlan, outputFolder: string): Promise<Compared> {
  context.progress({ stage: 'READING', fraction: null })
  const openings = sides.map((side) => ({ locator: plan[side].dataset, window: plan[side].window }))
  const open = await openLocked(context, openings, outputFolder, (index, error) =>
    ofSide(sides[index] ?? 'left', error),
  )
  const openNamed = (side: SideName) =>
    openSide(context, plan, side, open).catch((error: unknown) => {
      throw ofSide(side, error)
    })
  const [left, right] = [await openNamed('left'), await openNamed('right')]
  const { connection } = left.session
  const columnOf = ({ side, session }: OpenSide, name: string) => {
    try {
      return columnFinder(session.mounted.columns, duckdbDialect)(name)
    } catch (error) {
      throw ofSide(side, error)
    }
  }
  const pairs = plan.columns.map((pair) => pairOf(pair, columnOf(left, pair.left), columnOf(right, pair.right)))
  const comparing = { context, connection, pairs, left, right, hasKey: pairs.some(({ isKey }) => isKey) }
  const assertUnchanged = async () => {
    for (const { side, session } of [left, right])
      await session.assertUnchanged().catch((error: unknown) => {
        throw ofSide(side, error)
      })
    return false
  }
  context.progress({ stage: 'MEASURING', fraction: null })
  const answer = await orChanged(context, { assertUnchanged }, async () => {
    const [ofLeft, ofRight] = [await summed(comparing, left), await summed(comparing, right)]
    context.progress({ stage: 'MEASURING', fraction: 0.5 })
    await run(connection, differingBuckets({ all: requiresMoreThanEquality(pairs) }))
    const [differing = 0] = numbers(await readRow(connection, raw('SELECT count(*) FROM assay_differing')))
    const repeated = await repeatedKeysInSame(comparing, ofLeft)
    const found = differing === 0 ? noDifferences : await compareBuckets(comparing, plan.rows !== null)
    const { changed, warned, onlyLeft, onlyRight, changedColumns } = found
    const equal = ofLeft.rows - changed - onlyLeft
    if (equal !== ofRight.rows - changed - onlyRight)
      throw new AssayError('unprocessable', 'The data changed while it was being read. Run it again.')
    const count = changed + onlyLeft + onlyRight
    const columns = plan.columns.map(({ left: one, right: other }, index) => ({
      ...{ left: one, right: other },
      changed: changedColumns[index] ?? 0,
    }))
    const differences = plan.rows && (await kept(comparing, plan.rows, count, outputFolder))
    return {
      left: sideOf(left, ofLeft, repeated + found.leftRepeated, comparing),
      right: sideOf(right, ofRight, repeated + found.rightRepeated, comparing),
      ...{ equal, changed, onlyLeft, onlyRight, warned, columns, differing: differences },
    }
  })
  await assertUnchanged()
  return { ...answer, elapsedMs: Math.round(performance.now() - context.startedTick) }
}

function sideOf(
  { session, touched }: OpenSide,
  { rows, nullKeys }: Totals,
  duplicateKeys: number,
  { hasKey }: Comparing,
): ComparedSide {
  const { mounted, window } = session
  const keys = hasKey ? { duplicateKeys, nullKeys } : { duplicateKeys: 0, nullKeys: 0 }
  return { rows, ...keys, warnings: mounted.warnings, reached: window.reached, touched }
}
