import type { DuckDBConnection } from '@duckdb/node-api'
import { quoteName } from '../../../sql/quote.ts'
import type { MountContext } from '../../mount.ts'
import { unreadable } from '../failures.ts'
import { literalPath } from '../files/glob.ts'
import { columnsOf, type FileReading, type FileSet, type Known, partitionColumns } from '../files/reading.ts'
import { describe, quoteList, rowsOf } from '../sql.ts'
import { noWarnings } from '../warnings.ts'

/** Top-level columns that are required according to every footer. */
async function requiredColumns({ connection }: Pick<MountContext, 'connection'>, files: string): Promise<Set<string>> {
  const rows = await rowsOf(
    connection,
    `SELECT name, bool_and(repetition_type = 'REQUIRED') AS required, count(DISTINCT file_name) AS files
     FROM parquet_schema(${files}) WHERE repetition_type IS NOT NULL GROUP BY name`,
  )
  return new Set(rows.filter((row) => row.required === true).map((row) => String(row.name)))
}

/**
 * Reads Parquet files as one table, columns by name. The number of rows comes from the footers, so no data is read. A
 * column that a file lacks is NULL there.
 */
export async function readParquet(context: MountContext, set: FileSet, known: Known | null): Promise<FileReading> {
  const { connection } = context
  const paths = set.files.map((file) => file.path)
  try {
    for (const file of set.files) {
      if (file.size === 0) throw unreadable(new Error('No magic bytes found'), file.relative)
    }
    const files = quoteList(paths.map(literalPath))
    const partitions = await partitionColumns(connection, set, known)
    context.objects.partitioned(partitions)
    const hive = partitions.map(({ name, dataType }) => `${quoteName(name)}: ${dataType}`).join(', ')
    const options = [
      ...(paths.length > 1 ? ['union_by_name = true'] : []),
      hive === '' ? 'hive_partitioning = false' : `hive_partitioning = true, hive_types = {${hive}}`,
    ]
    const relation = `read_parquet(${files}, ${options.join(', ')})`
    const names = partitions.map(({ name }) => name)
    // Reuses the findings of the crawl, but reads the columns of a single file from its footer, so that a damaged file
    // is noticed.
    if (known !== null && paths.length === 1) {
      const columns = (await describe(connection, relation)).map((column) => ({
        ...column,
        nullable: true,
        children: [],
      }))
      return { relation, columns, rowCount: null, warnings: noWarnings, paths, partitions: names, learnt: {} }
    }
    const [counted] = await rowsOf(connection, `SELECT sum(num_rows) AS n FROM parquet_file_metadata(${files})`)
    const columns = await columnsOf(
      connection,
      relation,
      known === null ? await requiredColumns(context, files) : new Set(),
    )
    const rowCount = Number(counted?.n ?? 0)
    return { relation, columns, rowCount, warnings: noWarnings, paths, partitions: names, learnt: {} }
  } catch (error) {
    context.signal.throwIfAborted()
    throw unreadable(error, set.files.length === 1 ? (set.files[0]?.relative ?? set.name) : await culprit(context, set))
  }
}

/** Names of the columns that are required in all of the files (absolute paths). */
export function requiredIn(connection: DuckDBConnection, files: readonly string[]): Promise<ReadonlySet<string>> {
  return requiredColumns({ connection }, quoteList(files.map(literalPath)))
}

/** Finds the file of a set that cannot be read, so that the message can name it. */
async function culprit(context: MountContext, set: FileSet): Promise<string> {
  for (const file of set.files) {
    try {
      await rowsOf(
        context.connection,
        `SELECT num_rows FROM parquet_file_metadata(${quoteList([literalPath(file.path)])})`,
      )
    } catch {
      return file.relative
    }
  }
  return set.name
}
