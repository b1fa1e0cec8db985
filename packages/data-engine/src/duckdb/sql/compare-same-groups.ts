import { fromRows, type Rows } from '../../sql/compile.ts'
import { type Fragment, raw, sql } from '../../sql/fragment.ts'
import { textLiteral } from '../../sql/quote.ts'
import { literalPath } from '../sources/files/glob.ts'
import { keyHash } from './compare-buckets.ts'
import { rowNumber } from './compare-narrow.ts'
import { keysOf, type Pair } from './compare-pairs.ts'

/** The column of several files with the path of a row's file. */
export const fileName = 'filename'

const list = (texts: readonly string[]) => texts.map(textLiteral).join(', ')

const filesOf = (files: readonly string[]) => `[${list(files.map(literalPath))}]`

/**
 * The columns `names` of the row groups of Parquet files, in the order of the row groups: the file, the row group, its
 * rows, where its bytes begin, the column, and everything that decides how bytes become its values. Positions in the file
 * are relative to the row group.
 */
export function columnsOfGroups(files: readonly string[], names: readonly string[], most: number): Fragment {
  const all = filesOf(files)
  const dictionary = 'nullif(dictionary_page_offset, 0)'
  const begin = `min(least(coalesce(${dictionary}, data_page_offset), data_page_offset)) OVER (PARTITION BY file_name, row_group_id)`
  const chunks = `SELECT *, ${begin} AS group_start FROM parquet_metadata(${all})`
  const types = ['type', 'type_length', 'repetition_type', 'converted_type', 'scale', 'precision', 'logical_type']
  const form = [
    ...types.map((name) => `s.${name}`),
    ...['compression', 'encodings', 'num_values', 'total_compressed_size'].map((name) => `m.${name}`),
    `${dictionary} - m.group_start`,
    'm.data_page_offset - m.group_start',
  ].map((one) => `coalesce(CAST(${one} AS VARCHAR), '')`)
  return raw(
    `SELECT m.file_name, m.row_group_id, m.row_group_num_rows, m.group_start, m.path_in_schema, concat_ws('|', ${form.join(', ')}) FROM (${chunks}) AS m JOIN parquet_schema(${all}) AS s ON s.file_name = m.file_name AND s.name = m.path_in_schema WHERE m.path_in_schema IN (${list(names)}) ORDER BY m.file_name, m.row_group_id LIMIT ${most}`,
  )
}

/**
 * The number of files with nested columns, or with names that differ only in case. The engine gives such columns other
 * names than the file.
 */
export function ambiguousFiles(files: readonly string[]): Fragment {
  const isLeaf = 'coalesce(num_children, 0) = 0'
  const names = `count(DISTINCT lower(name)) FILTER (${isLeaf}) <> count(*) FILTER (${isLeaf})`
  return raw(
    `SELECT count(*) FROM (SELECT file_name FROM parquet_schema(${filesOf(files)}) GROUP BY file_name HAVING count(*) FILTER (NOT ${isLeaf}) <> 1 OR ${names})`,
  )
}

/** Consecutive rows of a file, the first and the last by their numbers. */
export interface RowRange {
  file: string
  first: number
  last: number
}

/** A relation with these rows of `relation` only. One query for each range lets the engine skip all other row groups. */
export function rowsIn(relation: string, ranges: readonly RowRange[], hasOneFile: boolean): string {
  const parts = ranges.map(({ file, first, last }) => {
    const ofFile = hasOneFile ? '' : `${fileName} = ${textLiteral(file)} AND `
    return `SELECT * FROM ${relation} WHERE ${ofFile}${rowNumber} BETWEEN ${first} AND ${last}`
  })
  return `(${parts.length === 0 ? `SELECT * FROM ${relation} WHERE false` : parts.join(' UNION ALL ')})`
}

/** The number of rows whose key has the hash of a key among `others`. Counts too many if different keys share a hash. */
export function sharedKeys(pairs: readonly Pair[], rows: Rows, others: { left: Rows; right: Rows }): Fragment {
  const keys = (side: 'left' | 'right', of: Rows) => sql`SELECT ${keyHash(pairs, side)} AS k${fromRows(of)}`
  const rest = sql`${keys('left', others.left)} UNION ALL ${keys('right', others.right)}`
  return sql`SELECT count(*) FROM (${keys('left', rows)}) SEMI JOIN (${rest}) USING (k)`
}

/** The number of keys that several of these rows of the left side have. */
export function repeatedIn(pairs: readonly Pair[], rows: Rows): Fragment {
  const keys = keysOf(pairs).map((index) => pairs[index]?.left.compared)
  return sql`SELECT count(*) FROM (SELECT 1${fromRows(rows)} GROUP BY ${keys.join(', ')} HAVING count(*) > 1)`
}
