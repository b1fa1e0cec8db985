import type { SideName } from '../../compared-source.ts'
import { idsColumn } from '../../kept-rows/format.ts'
import { fromRows, type Rows } from '../../sql/compile.ts'
import { type Fragment, raw, sql } from '../../sql/fragment.ts'
import { quoteName, textLiteral } from '../../sql/quote.ts'
import { keptAsText } from '../kept-rows/sql.ts'
import { agreement, requiresMoreThanEquality } from './compare-agreement.ts'
import { bucketOf, keyHash, selectedRows } from './compare-buckets.ts'
import { byCodePoints, keysOf, type Pair } from './compare-pairs.ts'

export const keyName = (index: number) => `c${index}`
/**
 * The column of a side table with a value as it is in the data. Usually it is the same column as the compared value.
 */
function valueName(pairs: readonly Pair[], side: SideName, index: number): string {
  const pair = pairs[index]?.[side]
  if (pair === undefined) return `v${index}`
  const { column, compared } = pair
  const isSame = [column.sql, byCodePoints(column.sql)].includes(compared) && !keptAsText(column.dataType)
  return isSame ? keyName(index) : `v${index}`
}
const list = (indexes: readonly number[], of: (index: number) => string) => indexes.map(of).join(', ')
const indexesOf = (pairs: readonly Pair[]) => pairs.map((_, index) => index)
const alike = (indexes: readonly number[], one: string, other: string) =>
  indexes.map((index) => `${one}.${keyName(index)} IS NOT DISTINCT FROM ${other}.${keyName(index)}`).join(' AND ')

/**
 * The rows of one side whose keys may have a difference: their bucket, their compared values (`c…`), and their original
 * values (`v…`). `within`: a condition that all of these rows satisfy.
 */
export function sideTable(
  side: SideName,
  pairs: readonly Pair[],
  rows: Rows,
  within: Fragment | null = null,
): Fragment {
  const selected = selectedRows(valuesOf(side, pairs), { side, pairs, rows }, within)
  return sql`CREATE OR REPLACE TEMP TABLE assay_all_${side} AS ${selected}`
}

/** Like `sideTable`, for rows that are already known to be these rows. */
export function knownSideTable(side: SideName, pairs: readonly Pair[], rows: Rows, within: Fragment | null): Fragment {
  const values = `${bucketOf(keyHash(pairs, side))} AS b, ${valuesOf(side, pairs)}`
  return sql`CREATE OR REPLACE TEMP TABLE assay_all_${side} AS SELECT ${values}${fromRows(rows, within)}`
}

function valuesOf(side: SideName, pairs: readonly Pair[]): string {
  const columns = pairs.flatMap((pair, index) => {
    const { column, compared: value } = pair[side]
    const name = valueName(pairs, side, index)
    const kept = keptAsText(column.dataType) ? `CAST(${column.sql} AS VARCHAR)` : column.sql
    return [`${value} AS ${keyName(index)}`, ...(name === keyName(index) ? [] : [`${kept} AS ${name}`])]
  })
  return columns.join(', ')
}

/** The approximate size in bytes of a side table. */
export function bytesOf(side: SideName, pairs: readonly Pair[]): Fragment {
  const texts = pairs.flatMap(({ as }, index) =>
    as.kind !== 'type' || as.type.kind === 'text' ? [`coalesce(strlen(${keyName(index)}), 0)`] : [],
  )
  return raw(`SELECT coalesce(sum(${[16 * pairs.length, ...texts].join(' + ')}), 0) FROM assay_all_${side}`)
}

/** One of `parts` parts of the rows. Rows with the same key are in the same part. */
export function partOf(side: SideName, { part, parts }: { part: number; parts: number }): Fragment {
  const within = parts === 1 ? '' : ` WHERE b % ${parts} = ${part}`
  return raw(`CREATE OR REPLACE TEMP TABLE assay_${side} AS SELECT * EXCLUDE (b) FROM assay_all_${side}${within}`)
}

function bothSides(names: string): string {
  return `SELECT ${names}, 1 AS l, 0 AS r FROM assay_left UNION ALL SELECT ${names}, 0, 1 FROM assay_right`
}

/**
 * Groups of equal rows whose number differs between the sides. If a mapping requires a relation other than equality
 * (such as `left > right`), returns all groups, because equal rows may then fail.
 */
export function unequalRows(pairs: readonly Pair[]): Fragment {
  const names = list(indexesOf(pairs), keyName)
  const having = requiresMoreThanEquality(pairs) ? '' : ' HAVING sum(l) <> sum(r)'
  return raw(
    `CREATE OR REPLACE TEMP TABLE assay_unequal AS SELECT ${names}, sum(l) AS l, sum(r) AS r FROM (${bothSides(names)}) GROUP BY ${names}${having}`,
  )
}

/** Keys that several rows of one side have. */
export function repeatedKeys(pairs: readonly Pair[]): Fragment {
  const names = list(keysOf(pairs), keyName)
  return raw(
    `CREATE OR REPLACE TEMP TABLE assay_repeated AS SELECT ${names}, sum(l) AS l, sum(r) AS r FROM (${bothSides(names)}) GROUP BY ${names} HAVING sum(l) > 1 OR sum(r) > 1`,
  )
}

export const countRepeated: Fragment = raw(
  'SELECT count(*) FILTER (WHERE l > 1), count(*) FILTER (WHERE r > 1) FROM assay_repeated',
)

/**
 * The rows of one side that have no equal row on the other side. If equal rows may fail (see `unequalRows`), also
 * includes all rows whose key is unique.
 */
export function restTable(side: SideName, pairs: readonly Pair[]): Fragment {
  const indexes = indexesOf(pairs)
  const [mine, other] = side === 'left' ? ['l', 'r'] : ['r', 'l']
  const within = list(indexes, (index) => `s.${keyName(index)}`)
  const all = requiresMoreThanEquality(pairs)
  const isSingle = all
    ? `NOT EXISTS (SELECT 1 FROM assay_repeated AS d WHERE ${alike(keysOf(pairs), 's', 'd')})`
    : 'false'
  const where = all ? '' : ` WHERE u.${mine} > u.${other}`
  const ranked = `SELECT s.*, row_number() OVER (PARTITION BY ${within} ORDER BY s.rowid) AS nth, u.${mine} - u.${other} AS more, ${isSingle} AS single FROM assay_${side} AS s JOIN assay_unequal AS u ON ${alike(indexes, 's', 'u')}${where}`
  return raw(
    `CREATE OR REPLACE TEMP TABLE assay_rest_${side} AS SELECT * EXCLUDE (nth, more, single) FROM (${ranked}) WHERE nth <= more OR single`,
  )
}

/** The remaining rows whose key is unique and the same on both sides. `d…`: whether a column disagrees. */
export function pairedRows(pairs: readonly Pair[]): Fragment {
  const [keys, indexes] = [keysOf(pairs), indexesOf(pairs)]
  const cellOf = (name: string, side: SideName, index: number) => ({
    compared: `${name}.${keyName(index)}`,
    value: `${name}.${valueName(pairs, side, index)}`,
  })
  const disagrees = pairs.map(
    (pair, index) => `NOT (${agreement(pair, cellOf('l', 'left', index), cellOf('r', 'right', index))}) AS d${index}`,
  )
  const columns = [
    list(keys, (index) => `l.${keyName(index)} AS ${keyName(index)}`),
    list(
      indexes,
      (index) =>
        `l.${valueName(pairs, 'left', index)} AS l${index}, r.${valueName(pairs, 'right', index)} AS r${index}`,
    ),
    disagrees.join(', '),
  ]
  return raw(
    `CREATE OR REPLACE TEMP TABLE assay_paired AS SELECT ${columns.join(', ')} FROM assay_rest_left AS l JOIN assay_rest_right AS r ON ${alike(keys, 'l', 'r')} WHERE NOT EXISTS (SELECT 1 FROM assay_repeated AS d WHERE ${alike(keys, 'l', 'd')})`,
  )
}

const anyOf = (indexes: readonly number[]) =>
  indexes.length === 0 ? 'false' : `(${indexes.map((index) => `d${index}`).join(' OR ')})`

/**
 * The numbers of paired rows, of changed rows, and of changed rows that disagree only in columns with `isWarning`; and
 * for each column, the number of rows that disagree in it.
 */
export function countPaired(pairs: readonly Pair[]): Fragment {
  const isChanged = anyOf(indexesOf(pairs))
  const failing = anyOf(indexesOf(pairs).filter((index) => pairs[index]?.rules.isWarning !== true))
  const counts = list(indexesOf(pairs), (index) => `count(*) FILTER (WHERE d${index})`)
  return raw(
    `SELECT count(*), count(*) FILTER (WHERE ${isChanged}), count(*) FILTER (WHERE ${isChanged} AND NOT ${failing}), ${counts} FROM assay_paired`,
  )
}

/** A column of stored differences. */
export interface DifferenceColumn {
  name: string
  side: 'LEFT' | 'RIGHT'
  column: string
  dataType: string
  index: number
}

/** The columns of stored differences, with unique names: key columns first, left and right alternating. Pure. */
export function differenceColumns(pairs: readonly Pair[]): DifferenceColumn[] {
  const keys = keysOf(pairs).filter((index) => pairs[index]?.isKey === true)
  const indexes = [...keys, ...indexesOf(pairs).filter((index) => !keys.includes(index))]
  const taken = new Set<string>()
  const free = (wanted: string, times = 1): string => {
    const name = times === 1 ? wanted : `${wanted}_${times}`
    if (taken.has(name.toLowerCase())) return free(wanted, times + 1)
    taken.add(name.toLowerCase())
    return name
  }
  return indexes.flatMap((index) =>
    (['left', 'right'] as const).flatMap((side) => {
      const column = pairs[index]?.[side].column
      if (column === undefined) return []
      const dataType = keptAsText(column.dataType) ? 'VARCHAR' : column.dataType
      const own = { name: free(`${side}_${column.name}`), column: column.name, dataType, index }
      return [{ ...own, side: side === 'left' ? ('LEFT' as const) : ('RIGHT' as const) }]
    }),
  )
}

/** Appends the differing rows of a part, with both sides, to the rows of the earlier parts. */
export function addDifferences(pairs: readonly Pair[], { part }: { part: number }): Fragment {
  const keys = keysOf(pairs)
  const columns = differenceColumns(pairs)
  const keyNames = list(keys, keyName)
  const cellsOf = (of: (column: DifferenceColumn) => string) =>
    columns.map((column) => `${of(column)} AS ${quoteName(column.name)}`).join(', ')
  const changedNames = pairs.map(({ left }, index) => `CASE WHEN d${index} THEN ${textLiteral(left.column.name)} END`)
  const ofChanged = `SELECT 'CHANGED' AS __difference, list_filter([${changedNames.join(', ')}], lambda name: name IS NOT NULL) AS __changed_columns, ${cellsOf(({ side, index }) => (side === 'LEFT' ? `l${index}` : `r${index}`))}, ${keyNames} FROM assay_paired WHERE ${anyOf(indexesOf(pairs))}`
  const ofOne = (side: SideName, difference: string) => {
    const cell = ({ side: of, index, dataType }: DifferenceColumn) =>
      of.toLowerCase() === side ? valueName(pairs, side, index) : `CAST(NULL AS ${dataType})`
    return `SELECT '${difference}', CAST([] AS VARCHAR[]), ${cellsOf(cell)}, ${keyNames} FROM assay_rest_${side} AS s WHERE NOT EXISTS (SELECT 1 FROM assay_paired AS g WHERE ${alike(keys, 's', 'g')})`
  }
  const all = [ofChanged, ofOne('left', 'ONLY_LEFT'), ofOne('right', 'ONLY_RIGHT')].join(' UNION ALL ')
  return raw(`${part === 0 ? 'CREATE TEMP TABLE assay_differences AS' : 'INSERT INTO assay_differences'} ${all}`)
}

/**
 * Appends the rows of a part that agree, with both sides, to the rows of the earlier parts. `limit`: only the first ones
 * in the order of the key.
 */
export function addAgreements(
  pairs: readonly Pair[],
  { part, limit }: { part: number; limit: number | null },
): Fragment {
  const [keys, indexes] = [keysOf(pairs), indexesOf(pairs)]
  const cellsOf = (of: (column: DifferenceColumn) => string, from: string) =>
    [
      ...differenceColumns(pairs).map((column) => `${of(column)} AS ${quoteName(column.name)}`),
      ...keys.map((index) => `${from}${keyName(index)} AS ${keyName(index)}`),
    ].join(', ')
  const ofPaired = `SELECT ${cellsOf(({ side, index }) => (side === 'LEFT' ? `l${index}` : `r${index}`), '')} FROM assay_paired WHERE NOT ${anyOf(indexes)}`
  // `restTable` takes the first of equal rows, so these are the last ones.
  const ranked = (side: SideName) =>
    `(SELECT *, row_number() OVER (PARTITION BY ${list(indexes, keyName)} ORDER BY rowid DESC) AS nth FROM assay_${side})`
  const cell = ({ side, index }: DifferenceColumn) =>
    side === 'LEFT' ? `l.${valueName(pairs, 'left', index)}` : `r.${valueName(pairs, 'right', index)}`
  const onlyRepeated = requiresMoreThanEquality(pairs)
    ? ` WHERE EXISTS (SELECT 1 FROM assay_repeated AS d WHERE ${alike(keys, 'l', 'd')})`
    : ''
  const ofEqual = `SELECT ${cellsOf(cell, 'l.')} FROM ${ranked('left')} AS l JOIN ${ranked('right')} AS r ON ${alike(indexes, 'l', 'r')} AND l.nth = r.nth${onlyRepeated}`
  return raw(
    `${part === 0 ? 'CREATE TEMP TABLE assay_agreements AS' : 'INSERT INTO assay_agreements'} SELECT * FROM (${ofPaired} UNION ALL ${ofEqual})${limit === null ? '' : ` ORDER BY ${list(keys, keyName)}${limited(limit)}`}`,
  )
}

/** The rows that agree, ordered by key. */
export function agreements(pairs: readonly Pair[]): Fragment {
  const names = differenceColumns(pairs).map(({ name }) => quoteName(name))
  return raw(`SELECT ${names.join(', ')} FROM assay_agreements ORDER BY ${list(keysOf(pairs), keyName)}`)
}

const limited = (limit: number | null) => (limit === null ? '' : ` LIMIT ${Math.max(0, Math.floor(limit))}`)

/** All differing rows, ordered by difference and key, with the ids of items. `limit`: only the first ones. */
export function differences(pairs: readonly Pair[], limit: number | null, itemIds: readonly number[]): Fragment {
  const names = differenceColumns(pairs).map(({ name }) => quoteName(name))
  const ids = `CAST([${itemIds.map((id) => Math.floor(id)).join(', ')}] AS BIGINT[]) AS ${idsColumn}`
  const shown = ['__difference', '__changed_columns', ...names, ids].join(', ')
  return raw(
    `SELECT ${shown} FROM assay_differences ORDER BY __difference, ${list(keysOf(pairs), keyName)}${limited(limit)}`,
  )
}
