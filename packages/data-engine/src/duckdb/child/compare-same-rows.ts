import type { ComparedPair } from '../../compare.ts'
import type { SideName } from '../../compared-source.ts'
import type { Rows } from '../../sql/compile.ts'
import { requiresMoreThanEquality } from '../sql/compare-agreement.ts'
import { keyFacts } from '../sql/compare-buckets.ts'
import { rowNumber } from '../sql/compare-narrow.ts'
import type { Pair } from '../sql/compare-pairs.ts'
import { fileName, type RowRange, repeatedIn, rowsIn, sharedKeys } from '../sql/compare-same-groups.ts'
import { hasOnlyUniqueKeys } from './compare-mounted.ts'
import { type CompareSide, type Comparing, type NarrowSide, numbers } from './compare-side.ts'
import { readRow } from './database.ts'
import { type Group, groupsOf, rangesOf } from './row-groups.ts'
import { createByteComparison } from './same-bytes.ts'

/** With more ranges than this, a query for each would cost more than it saves. */
const mostRanges = 200
/** For several files, each query opens all of them again. */
const mostRangesOfFiles = 16

type Both<T> = { readonly [side in SideName]: T }

/** Rows that are equal on both sides because their bytes are, and the sides without them. */
export interface SameRows {
  rows: number
  /** The number of keys that several of these rows have. */
  repeated: number
  /** The number of rows with NULL in the key, of all rows of a side. */
  nullKeys: Both<number>
  rest: Both<CompareSide>
}

function canBeRead({ rows, mounted: { parquetFiles, columns, partitionColumns = [] } }: NarrowSide): boolean {
  const taken = new Set([rowNumber, fileName])
  const isFree = !columns.some(({ name }) => taken.has(name.toLowerCase()))
  return parquetFiles !== undefined && rows.filter === null && isFree && partitionColumns.length === 0
}

/** Whether equal bytes are equal values, and equal values agree. */
const bytesDecide = (plan: readonly ComparedPair[], pairs: readonly Pair[]) =>
  plan.every(({ leftOffsetSeconds = 0 }) => leftOffsetSeconds === 0) &&
  !requiresMoreThanEquality(pairs) &&
  pairs.every(({ as, left, right }) => as.kind !== 'never' && left.column.dataType === right.column.dataType)

/** The row groups of each side, and which of them have the same bytes at the same place of the other side. */
async function sameGroups(
  { connection, context, pairs }: Comparing,
  { left, right }: Both<NarrowSide>,
): Promise<{ groups: Both<Group[]>; isSame: boolean[] } | null> {
  const groups = ({ side, mounted: { parquetFiles = [] } }: NarrowSide) =>
    groupsOf(connection, parquetFiles, [...new Set(pairs.map((pair) => pair[side].column.name))])
  const ofLeft = await groups(left)
  const ofRight = ofLeft && (await groups(right))
  if (!ofLeft || !ofRight) return null
  const bytes = createByteComparison(context.signal)
  const areSame = async (one: Group, other: Group | undefined) => {
    if (one.rows !== other?.rows) return false
    const formsDiffer = pairs.some(
      (pair) => one.forms.get(pair.left.column.name) !== other.forms.get(pair.right.column.name),
    )
    return !formsDiffer && bytes.areSame(one, other)
  }
  try {
    const isSame: boolean[] = []
    for (const [index, group] of ofLeft.entries()) isSame.push(await areSame(group, ofRight[index]))
    return { groups: { left: ofLeft, right: ofRight }, isSame }
  } finally {
    await bytes.close()
  }
}

/** The number of keys that several of the same rows have; null if one of their keys is also in another row. */
async function repeatedKeys(
  comparing: Comparing,
  whole: Both<NarrowSide>,
  parts: { same: Rows; rest: Both<Rows> },
  facts: Both<Parameters<typeof hasOnlyUniqueKeys>[3]>,
): Promise<number | null> {
  const { connection, pairs } = comparing
  const areUnique = async (side: SideName) => hasOnlyUniqueKeys(comparing, side, whole[side].rows, facts[side])
  if ((await areUnique('left')) && (await areUnique('right'))) return 0
  const [shared = 0] = numbers(await readRow(connection, sharedKeys(pairs, parts.same, parts.rest)))
  if (shared > 0) return null
  const [repeated = 0] = numbers(await readRow(connection, repeatedIn(pairs, parts.same)))
  return repeated
}

/**
 * Finds row groups of Parquet files that have the same bytes on both sides at the same place, such as in a copy of
 * which a few rows were changed or to which rows were appended. Their rows are equal without being decoded. Null if
 * there are few of them, or if one of their keys is also in another row: then all rows must be compared.
 */
export async function findSameRows(
  comparing: Comparing,
  plan: readonly ComparedPair[],
  sides: Both<CompareSide>,
): Promise<SameRows | null> {
  const { connection, pairs, hasKey } = comparing
  const [left, right] = [sides.left.narrow, sides.right.narrow]
  if (!left || !right || !canBeRead(left) || !canBeRead(right) || !bytesDecide(plan, pairs)) return null
  const whole = { left, right }
  const found = await sameGroups(comparing, whole)
  if (found === null) return null
  const { groups, isSame } = found
  const ranges = {
    same: rangesOf(groups.left.filter((_, index) => isSame[index])),
    left: rangesOf(groups.left.filter((_, index) => !isSame[index])),
    right: rangesOf(groups.right.filter((_, index) => !isSame[index])),
  }
  const rowsOf = (counted: readonly { rows: number }[]) => counted.reduce((sum, { rows }) => sum + rows, 0)
  const counts = { left: rowsOf(groups.left), right: rowsOf(groups.right) }
  const rows = rowsOf(groups.left.filter((_, index) => isSame[index]))
  const files = [left, right].map(({ mounted: { parquetFiles = [] } }) => parquetFiles.length)
  const most = files.every((count) => count === 1) ? mostRanges : mostRangesOfFiles
  const tooMany = Object.values(ranges).some(({ length }) => length > most)
  if (tooMany || rows * 4 < counts.left + counts.right) return null
  const relation = ({ mounted }: NarrowSide, part: readonly RowRange[]) =>
    rowsIn(mounted.relation, part, mounted.parquetFiles?.length === 1)
  const rest = { left: relation(left, ranges.left), right: relation(right, ranges.right) }
  const only = { left: left.only(rest.left), right: right.only(rest.right) }
  if (!hasKey) return { rows, repeated: 0, nullKeys: { left: 0, right: 0 }, rest: only }
  const factsOf = async (side: SideName) => {
    const [nulls, least = null, highest = null] = await readRow(connection, keyFacts(side, pairs, whole[side].rows))
    return { rows: counts[side], nullKeys: Number(nulls ?? 0), least, most: highest }
  }
  const facts = { left: await factsOf('left'), right: await factsOf('right') }
  const unfiltered = (of: string): Rows => ({ relation: of, filter: null })
  const parts = {
    same: unfiltered(relation(left, ranges.same)),
    rest: { left: unfiltered(rest.left), right: unfiltered(rest.right) },
  }
  const repeated = await repeatedKeys(comparing, whole, parts, facts)
  if (repeated === null) return null
  return { rows, repeated, nullKeys: { left: facts.left.nullKeys, right: facts.right.nullKeys }, rest: only }
}
