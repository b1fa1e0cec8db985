import { messageOf } from '@assay/service-kit/errors'
import { inParallel } from '@assay/service-kit/in-parallel'
import type { DuckDBConnection } from '@duckdb/node-api'
import type { Copies } from '../files/copies.ts'
import { partitionOf } from '../files/format.ts'
import { literalPath } from '../files/glob.ts'
import type { FoundFile } from '../files/tree.ts'
import { quoteList } from '../sql.ts'
import { columnsRead, type Scan, scansIn } from './columns.ts'
import {
  fetchInto,
  keepTime,
  missingParts,
  type PartialFile,
  partialFile,
  type ReadObject,
  tooLarge,
} from './partial-file.ts'
import { rangesOf } from './ranges.ts'
import { remainingFiles } from './remaining-files.ts'
import type { ByteRange } from './store.ts'

/** The objects of a run as files that the engine can open. */
export interface RunObjects {
  /**
   * Returns the absolute path of a file with the object's content. For a Parquet object, only the footer is fetched at
   * first; the columns that a statement reads are fetched before it runs. Other objects are copied. Throws
   * `unprocessable` with the reason from the store, or `too-large`.
   */
  placed(file: FoundFile, read: ReadObject): Promise<string>
  /**
   * Sets the types of the columns from partition folders, so that only the files of the needed partitions are fetched.
   */
  partitioned(columns: readonly { name: string; dataType: string }[]): void
}

const atOnce = 8
/** Number of rows that are fetched first if a part of the rows suffices. */
const rowsOfLook = 10_000

/** Whether the reader met bytes that were not fetched. */
const isHole = (error: unknown) => /TProtocolException|parquet|page header|thrift|decompress/i.test(messageOf(error))

const endingOf = (path: string) => /(\.[a-z]+)(\.gz|\.zst)?$/i.exec(path)?.[0] ?? ''

/** Names that the reader adds. They need no bytes. */
const readersOwn = ['filename', 'file_row_number', 'file_index', 'file_last_modified', 'file_size', 'file_mtime']

/**
 * `isLook`: whether a part of the rows suffices, so that the first row groups are fetched before the others. Installs
 * itself on the connection with the first Parquet object; until then, statements run as usual.
 */
export function createRunObjects(
  connection: DuckDBConnection,
  { copies, signal, isLook }: { copies: Copies; signal: AbortSignal; isLook: boolean },
): RunObjects {
  let parts: PartialFile[] = []
  const partitions = new Map<string, string>()
  const original = { run: connection.run.bind(connection), stream: connection.stream.bind(connection) }
  type Values = Parameters<DuckDBConnection['run']>[1]

  const rowsOf = async (sql: string, values?: Values) => {
    const result = await original.run(sql, values)
    return result.getRowObjects()
  }

  /** What a statement reads. `undefined` if it reads nothing, or if it cannot be planned and so will fail anyway. */
  async function scansOf(sql: string, values: Values): Promise<Scan[] | undefined> {
    try {
      // With several statements, EXPLAIN would cover the first one and run the others.
      if (/^\s*SET\b/i.test(sql) || (await connection.extractStatements(sql)).count !== 1) return undefined
      const [row] = await rowsOf(`EXPLAIN (FORMAT json) ${sql}`, values)
      return scansIn(String(row?.explain_value))
    } catch {
      signal.throwIfAborted()
      return undefined
    }
  }

  /**
   * The byte ranges of columns (null: all columns), by path of the file. `maxRows`: only those of the first row groups.
   */
  async function bytesOf(
    of: readonly PartialFile[],
    columns: ReadonlySet<string> | null,
    maxRows: number,
  ): Promise<Map<string, ByteRange[]>> {
    const files = quoteList(of.map(({ copy }) => literalPath(copy.path)))
    const sizes = new Map(of.map(({ copy, file }) => [copy.path, file.size]))
    const wanted = columns === null ? '' : `WHERE ${topName} IN (${[...columns].map(textOf).join(', ')})`
    const chunks = await rowsOf(
      `SELECT file_name, row_group_id, row_group_num_rows, data_page_offset, dictionary_page_offset, index_page_offset,
         total_compressed_size, bloom_filter_offset, bloom_filter_length
       FROM parquet_metadata(${files}) ${wanted}`,
    )
    const groups = new Map<string, number>()
    for (const chunk of chunks) groups.set(`${chunk.row_group_id} ${chunk.file_name}`, Number(chunk.row_group_num_rows))
    const byPath = new Map<string, ByteRange[]>()
    let rows = 0
    const isWanted = new Set(
      [...groups].flatMap(([group, count]) => {
        if (rows >= maxRows) return []
        rows += count
        return [group]
      }),
    )
    for (const chunk of chunks) {
      const path = String(chunk.file_name)
      if (!isWanted.has(`${chunk.row_group_id} ${path}`)) continue
      const ranges = byPath.get(path) ?? []
      byPath.set(path, ranges)
      ranges.push(
        ...rangesOf(
          {
            dataPage: Number(chunk.data_page_offset ?? 0),
            dictionaryPage: numberOf(chunk.dictionary_page_offset),
            indexPage: numberOf(chunk.index_page_offset),
            compressed: Number(chunk.total_compressed_size ?? 0),
            bloomFilter: numberOf(chunk.bloom_filter_offset),
            bloomFilterLength: numberOf(chunk.bloom_filter_length),
          },
          sizes.get(path) ?? 0,
        ),
      )
    }
    return byPath
  }

  /**
   * The files that a scan reads. If the engine leaves out partitions, this finds the remaining files itself; it returns
   * all files unless the engine counted as many remaining ones.
   */
  async function filesOf({ files }: Scan): Promise<PartialFile[]> {
    if (files === undefined || files.total !== parts.length) return parts
    try {
      const found = await rowsOf(
        remainingFiles(
          parts.map(({ file }) => file.relative),
          partitions,
          files.condition,
        ),
      )
      const left = found.flatMap(({ file }) => parts[Number(file)] ?? [])
      return left.length === files.scanned ? left : parts
    } catch {
      signal.throwIfAborted()
      return parts
    }
  }

  async function fetchFor(scans: readonly Scan[], maxRows: number): Promise<void> {
    const all = quoteList(parts.map(({ copy }) => literalPath(copy.path)))
    const own = (await rowsOf(`SELECT DISTINCT ${topName} AS name FROM parquet_metadata(${all})`)).map(({ name }) =>
      String(name),
    )
    const others = parts.flatMap(({ file }) => file.relative.split('/').map((name) => partitionOf(name)?.key ?? ''))
    const known = new Set([...others, ...readersOwn].map((name) => name.toLowerCase()))
    const wanted = new Map<PartialFile, ByteRange[]>()
    for (const scan of scans) {
      const columns = columnsRead(scan, own, known)
      const files = await filesOf(scan)
      if (columns?.size === 0 || files.length === 0) continue
      const bytes = await bytesOf(files, columns, maxRows)
      for (const part of files) wanted.set(part, [...(wanted.get(part) ?? []), ...(bytes.get(part.copy.path) ?? [])])
    }
    const requests = [...wanted].flatMap(([part, ranges]) =>
      missingParts(part, ranges).map((range) => ({ part, range })),
    )
    await inParallel(requests, atOnce, async ({ part, range }) => {
      signal.throwIfAborted()
      await fetchInto(copies, part, range)
    })
    await inParallel([...new Set(requests.map(({ part }) => part))], atOnce, keepTime)
  }

  /** Runs a statement once everything that it reads has been fetched. */
  async function withBytes<T>(sql: string, values: Values, work: () => Promise<T>): Promise<T> {
    parts = parts.filter(({ copy }) => copies.has(copy))
    const scans = parts.length === 0 ? undefined : await scansOf(sql, values)
    if (scans === undefined || scans.length === 0) return work()
    await fetchFor(scans, isLook ? rowsOfLook : Number.POSITIVE_INFINITY)
    if (!isLook) return work()
    try {
      return await work()
    } catch (error) {
      if (!isHole(error)) throw error
      await fetchFor(scans, Number.POSITIVE_INFINITY)
      return work()
    }
  }

  async function install(): Promise<void> {
    // The engine must not cache bytes of holes, and with `isLook` it must read the first row groups first.
    await original.run(`SET enable_external_file_cache = false${isLook ? '; SET threads = 1' : ''}`)
    connection.run = (sql, values, types) => withBytes(sql, values, () => original.run(sql, values, types))
    connection.stream = (sql, values, types) => withBytes(sql, values, () => original.stream(sql, values, types))
  }

  let installed: Promise<void> | undefined
  return {
    partitioned(columns) {
      for (const { name, dataType } of columns) partitions.set(name, dataType)
    },
    async placed(file, read) {
      if (file.format !== 'PARQUET') {
        const ending = endingOf(file.relative)
        return (await copies.write(file, ending, read(), signal, tooLarge(file.relative))).path
      }
      installed ??= install()
      await installed
      const part = await partialFile(copies, file, read)
      parts.push(part)
      return part.copy.path
    },
  }
}

/** The name of the column to which a chunk belongs. The path of a chunk also has the parts of nested values. */
const topName = "coalesce(nullif(regexp_extract(path_in_schema, '^(.*?), ', 1), ''), path_in_schema)"
const textOf = (text: string) => `'${text.replaceAll("'", "''")}'`
const numberOf = (value: unknown) => (value === null || value === undefined ? null : Number(value))
