import { AssayError } from '@assay/service-kit/errors'
import type { DuckDBConnection } from '@duckdb/node-api'
import type { Compared, ComparedSide, ComparePlan } from '../../compare.ts'
import type { SideName } from '../../compared-source.ts'
import { raw } from '../../sql/fragment.ts'
import { requireNoOthers } from '../../whole-table.ts'
import type { Work } from '../protocol.ts'
import { requiresMoreThanEquality } from '../sql/compare-agreement.ts'
import { addAgreeingBuckets, differingBuckets } from '../sql/compare-buckets.ts'
import { type Pair, pairOf } from '../sql/compare-pairs.ts'
import {
  addAgreements,
  addDifferences,
  bytesOf,
  countPaired,
  countRepeated,
  pairedRows,
  partOf,
  repeatedKeys,
  restTable,
  unequalRows,
} from '../sql/compare-rows.ts'
import { coarseBits, differingShared, fineBits } from '../sql/compare-shared-buckets.ts'
import { askedSide } from './compare-asked.ts'
import { mountedSide } from './compare-mounted.ts'
import { readDiffering } from './compare-narrow.ts'
import { findSameRows, type SameRows } from './compare-same-rows.ts'
import { type CompareSide, type Comparing, numbers, ofSide, run, type Totals } from './compare-side.ts'
import { keptAgreeing, keptDifferences } from './compare-written.ts'
import { readRow } from './database.ts'
import { openLocked, orChanged, type RunContext } from './session.ts'

const sides = ['left', 'right'] as const
type Sides = { readonly [side in SideName]: CompareSide }

/**
 * If the differing buckets have more rows than this, they are split into smaller ones before other engines send rows,
 * unless as many rows that agree are requested anyway.
 */
const manyRows = 50_000
/** Maximum number of small buckets that are requested. */
const mostBuckets = 100_000
const bucketTables = { left: 'assay_buckets_left', right: 'assay_buckets_right' }
const fineTables = { left: 'assay_fine_left', right: 'assay_fine_right' }

/**
 * Splits the differing buckets if they have more than `most` rows, so that fewer rows are fetched from other engines.
 */
async function refine(comparing: Comparing, { left, right }: Sides, most: number): Promise<void> {
  const { connection } = comparing
  const [rows = 0] = numbers(await readRow(connection, raw('SELECT sum(n) FROM assay_differing')))
  if (rows <= most) return
  await Promise.all([left.refine(comparing, fineBits), right.refine(comparing, fineBits)])
  await run(connection, differingShared('assay_finer', fineTables, { all: false }))
  const [count = 0] = numbers(await readRow(connection, raw('SELECT count(*) FROM assay_finer')))
  if (count > mostBuckets) return
  await run(connection, raw('CREATE OR REPLACE TEMP TABLE assay_differing AS SELECT * FROM assay_finer'))
  comparing.sharedBits = fineBits
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

/** The share of a run's memory for the values of one part. Groups and joins need several times as much. */
const partOfMemory = 1 / 6

/** Compares the rows of differing buckets, in parts that fit into memory. */
async function compareBuckets(comparing: Comparing, { left, right }: Sides, plan: ComparePlan): Promise<BucketCounts> {
  const keeps = plan.rows !== null
  if (comparing.sharedBits !== null) {
    await Promise.all([left.fetch(comparing), right.fetch(comparing)])
    comparing.pairs = pairsOf(plan, { left, right })
    await left.take(comparing)
    await right.take(comparing)
  }
  const { connection, context, pairs, hasKey } = comparing
  const bytes = await Promise.all(sides.map(async (side) => numbers(await readRow(connection, bytesOf(side, pairs)))))
  const most = context.limits.memoryMb * 1_048_576 * partOfMemory
  const parts = Math.max(1, Math.ceil(bytes.flat().reduce((sum, one) => sum + one, 0) / most))
  /** How many more rows that agree are stored; null: all. */
  let agreeing = plan.agreeing?.limit ?? null
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
    if (plan.agreeing && (part === 0 || agreeing !== 0)) {
      const [added = 0] = numbers(await readRow(connection, addAgreements(pairs, { part, limit: agreeing })))
      agreeing = agreeing && Math.max(0, agreeing - added)
    }
  }
  for (const side of sides) await run(connection, raw(`DROP TABLE assay_all_${side}`))
  return all
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

function pairsOf({ columns, whole }: ComparePlan, { left, right }: Sides): Pair[] {
  const pairs = columns.map((pair) => {
    const of = (side: CompareSide, name: string) => {
      try {
        return side.column(name)
      } catch (error) {
        throw ofSide(side.side, error)
      }
    }
    return pairOf(pair, of(left, pair.left), of(right, pair.right))
  })
  for (const one of whole ? [left, right] : [])
    try {
      requireNoOthers(
        one.columns,
        pairs.map((pair) => pair[one.side].column.name),
      )
    } catch (error) {
      throw ofSide(one.side, error)
    }
  return pairs
}

/** Opens both sides on one connection. Sides that other engines read are already open. */
async function openSides(
  context: RunContext,
  { plan, sources = {} }: Extract<Work, { kind: 'compare' }>,
  outputFolder: string,
): Promise<Sides & { connection: DuckDBConnection }> {
  const mounted = sides.filter((side) => sources[side] === undefined)
  const openings = mounted.map((side) => {
    const { dataset: locator, window, taken } = plan[side]
    return { locator, window, isOwn: taken !== undefined }
  })
  const { connection, open } = await openLocked(context, openings, outputFolder, (index, error) =>
    ofSide(mounted[index] ?? 'left', error),
  )
  const opened = async (side: SideName): Promise<CompareSide> => {
    const source = sources[side]
    if (source !== undefined) return askedSide(context, side, plan.columns, source)
    try {
      return await mountedSide(context, side, plan[side], await open(mounted.indexOf(side)))
    } catch (error) {
      throw ofSide(side, error)
    }
  }
  return { left: await opened('left'), right: await opened('right'), connection }
}

/** Selects the buckets that differ, and those with rows that agree and are to be stored. Returns their number. */
async function selectBuckets(
  comparing: Comparing,
  sides: Sides,
  { all, agreeing }: { all: boolean; agreeing: ComparePlan['agreeing'] },
): Promise<number> {
  const { connection, pairs } = comparing
  const isShared = comparing.sharedBits !== null
  const differing = isShared ? differingShared('assay_differing', bucketTables, { all }) : differingBuckets({ all })
  await run(connection, differing)
  if (isShared && !all) await refine(comparing, sides, Math.max(manyRows, agreeing?.limit ?? 0))
  const count = async () => numbers(await readRow(connection, raw('SELECT count(*) FROM assay_differing')))
  let [selected = 0] = await count()
  if (agreeing !== undefined && !all) {
    const values = isShared ? 'b, n' : 'b, 0 AS x, 0 AS m'
    const tables = comparing.sharedBits === fineBits ? fineTables : bucketTables
    const most = { rows: agreeing.limit, buckets: mostBuckets - selected }
    await run(connection, addAgreeingBuckets(values, tables, most))
    ;[selected = 0] = await count()
  }
  const narrow = [sides.left, sides.right].flatMap((side) => side.narrow ?? [])
  if (!isShared && selected > 0)
    await readDiffering(connection, pairs, narrow, { differing: selected, all: all || agreeing !== undefined })
  return selected
}

/**
 * Compares two tables. Computes checksums of buckets of keys on each side, then compares only the rows of buckets whose
 * checksums differ. Spills to the temporary space. Throws `unprocessable` if, for example, files changed meanwhile.
 */
export async function compare(
  context: RunContext,
  work: Extract<Work, { kind: 'compare' }>,
  outputFolder: string,
): Promise<Compared> {
  const { plan, sources } = work
  context.progress({ stage: 'READING', fraction: null })
  const { connection, ...whole } = await openSides(context, work, outputFolder)
  const isShared = sources?.left !== undefined || sources?.right !== undefined
  const pairs = pairsOf(plan, whole)
  const hasKey = pairs.some(({ isKey }) => isKey)
  const comparing: Comparing = { context, connection, pairs, hasKey, sharedBits: isShared ? coarseBits : null }
  const assertUnchanged = async () => {
    for (const side of [whole.left, whole.right]) await side.assertUnchanged()
    return false
  }
  context.progress({ stage: 'MEASURING', fraction: null })
  const answer = await orChanged(context, { assertUnchanged }, async () => {
    // Rows that agree are stored, so they have to be decoded.
    const same = isShared || plan.agreeing !== undefined ? null : await findSameRows(comparing, plan.columns, whole)
    const both = same?.rest ?? whole
    const { left, right } = both
    // Other engines work concurrently.
    const summing = [left.sum(comparing), ...(isShared ? [right.sum(comparing)] : [])]
    const [ofLeft, shared] = await Promise.all(summing)
    const ofRight = shared ?? (await right.sum(comparing))
    if (ofLeft === undefined) throw new AssayError('internal', 'The left side was not read.')
    context.progress({ stage: 'MEASURING', fraction: 0.5 })
    const asked = { all: requiresMoreThanEquality(pairs), agreeing: plan.agreeing }
    const selected = await selectBuckets(comparing, both, asked)
    const [counted, totals] = sources?.left === undefined ? ([left, ofLeft] as const) : ([right, ofRight] as const)
    const others = comparing.hasKey ? await counted.repeated(comparing, totals) : 0
    const repeated = others + (same?.repeated ?? 0)
    const found = selected === 0 ? noDifferences : await compareBuckets(comparing, both, plan)
    const { changed, warned, onlyLeft, onlyRight, changedColumns } = found
    const all = { left: withSame('left', ofLeft, same), right: withSame('right', ofRight, same) }
    const equal = all.left.rows - changed - onlyLeft
    if (equal !== all.right.rows - changed - onlyRight)
      throw new AssayError('unprocessable', 'The data changed while it was being read. Run it again.')
    const count = changed + onlyLeft + onlyRight
    const columns = plan.columns.map(({ left: one, right: other }, index) => ({
      ...{ left: one, right: other },
      changed: changedColumns[index] ?? 0,
    }))
    const differing = plan.rows && (await keptDifferences(comparing, plan.rows, count, outputFolder))
    const agreeing = plan.agreeing ? await keptAgreeing(comparing, plan.agreeing, equal, outputFolder) : null
    return {
      left: sideOf(left, all.left, repeated + found.leftRepeated, comparing),
      right: sideOf(right, all.right, repeated + found.rightRepeated, comparing),
      ...{ equal, changed, onlyLeft, onlyRight, warned, columns, differing, agreeing },
    }
  })
  await assertUnchanged()
  return { ...answer, elapsedMs: Math.round(performance.now() - context.startedTick) }
}

/** The totals of all rows of a side. */
const withSame = (side: SideName, totals: Totals, same: SameRows | null): Totals =>
  same === null ? totals : { ...totals, rows: totals.rows + same.rows, nullKeys: same.nullKeys[side] }

function sideOf(
  { about }: CompareSide,
  { rows, nullKeys }: Totals,
  duplicateKeys: number,
  { hasKey }: Comparing,
): ComparedSide {
  const keys = hasKey ? { duplicateKeys, nullKeys } : { duplicateKeys: 0, nullKeys: 0 }
  return { rows, ...keys, ...about }
}
