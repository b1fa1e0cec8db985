import type { DuckDBConnection } from '@duckdb/node-api'
import { DuckDBStructType, type DuckDBType } from '@duckdb/node-api'
import type { CsvOptions, DiscoveredColumn, FileFormat, LineWarnings } from '../../../dataset.ts'
import { textLiteral } from '../../../sql/quote.ts'
import { describe, rowsOf } from '../sql.ts'
import { typesOfText } from '../types.ts'
import type { Learnt } from './fingerprint.ts'
import { partitionValues } from './tables.ts'
import type { FileTree, FoundFile } from './tree.ts'

/** Files to be read as one table. */
export interface FileSet {
  tree: FileTree
  /** The table's name in messages. */
  name: string
  format: FileFormat
  partitioned: boolean
  csv: CsvOptions
  files: readonly FoundFile[]
}

/** What the crawl found, if it still applies. */
export interface Known {
  columns: readonly { name: string; dataType: string }[]
  learnt: Learnt
}

/** Files in a form that the engine can read. */
export interface FileReading {
  relation: string
  columns: DiscoveredColumn[]
  rowCount: number | null
  warnings: LineWarnings
  /** Notes about all files together, from the first reading. */
  notes?: readonly string[]
  /** Absolute files of the relation. */
  paths: string[]
  /** Columns from folder names. */
  partitions?: string[]
  learnt: Pick<Learnt, 'csv' | 'copy' | 'json' | 'forms'>
}

/** Maximum number of columns. Inferring the types of a wider table would take minutes and gigabytes. */
export const maxColumns = 10_000
export const tooManyColumns = `has more than ${maxColumns} columns: split it, or turn its columns into rows`

export const NULL_PARTITION = '__HIVE_DEFAULT_PARTITION__'

/** Partition columns with their types, inferred as from text: `month=01` is text, `year=2026` a number. */
export async function partitionColumns(
  connection: DuckDBConnection,
  set: FileSet,
  known: Known | null,
): Promise<{ name: string; dataType: string }[]> {
  if (!set.partitioned) return []
  const columns: { name: string; dataType: string }[] = []
  for (const [name, values] of partitionValues(set.files)) {
    const before = known?.columns.find((column) => column.name === name)
    if (before !== undefined) {
      columns.push(before)
      continue
    }
    const texts = [...values].filter((value) => value !== NULL_PARTITION)
    const rows = texts.map((text) => `(${textLiteral(text)})`).join(', ')
    const relation = texts.length === 0 ? '(SELECT NULL::VARCHAR AS v)' : `(VALUES ${rows}) AS t(v)`
    const { types } = await typesOfText(connection, relation, new Map([['v', 'all']]))
    columns.push({ name, dataType: types.get('v') ?? 'VARCHAR' })
  }
  return columns
}

function typeName(type: DuckDBType): string {
  return type.alias ?? String(type)
}

function childrenOf(type: DuckDBType): DiscoveredColumn[] {
  if (!(type instanceof DuckDBStructType)) return []
  return type.entryNames.flatMap((name, index) => {
    const child = type.entryTypes[index]
    return child === undefined ? [] : [{ name, dataType: typeName(child), nullable: true, children: childrenOf(child) }]
  })
}

/** The columns of a relation with the leaves of their structures. `required`: names of columns that are never NULL. */
export async function columnsOf(
  connection: DuckDBConnection,
  relation: string,
  required: ReadonlySet<string> = new Set(),
): Promise<DiscoveredColumn[]> {
  const described = await describe(connection, relation)
  const types = (await connection.runAndReadAll(`SELECT * FROM ${relation} LIMIT 0`)).columnTypes()
  return described.map(({ name, dataType }, index) => {
    const type = types[index]
    return { name, dataType, nullable: !required.has(name), children: type === undefined ? [] : childrenOf(type) }
  })
}

export async function countRows(connection: DuckDBConnection, relation: string): Promise<number> {
  const [row] = await rowsOf(connection, `SELECT count(*) AS n FROM ${relation}`)
  return Number(row?.n ?? 0)
}
