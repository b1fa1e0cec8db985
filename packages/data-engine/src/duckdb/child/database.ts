import { DuckDBConnection, DuckDBInstance, type DuckDBResultReader, type DuckDBValue } from '@duckdb/node-api'
import type { Binding, Fragment } from '../../sql/fragment.ts'
import { textLiteral } from '../../sql/quote.ts'
import type { Limits } from '../protocol.ts'

/** An instance that loads nothing from outside. Takes about 20 ms, so it can be created before there is work. */
export async function openDatabase(): Promise<DuckDBInstance> {
  return DuckDBInstance.create(':memory:', {
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    allow_community_extensions: 'false',
  })
}

/** Runs the first steps of every run once, so that their code is already loaded. */
export async function warmUp(instance: DuckDBInstance): Promise<void> {
  const connection = await DuckDBConnection.create(instance)
  const statements = [
    'SELECT count(*) FILTER (WHERE x > 1), min(x), max(CAST(x AS VARCHAR)) FROM range(3) t(x)',
    "SELECT list_contains(['a'], 'a'), regexp_full_match('a', 'b')",
    // Fails immediately. An empty name would make DuckDB list the whole working folder first.
    "SELECT count(*) FROM parquet_metadata('/dev/null')",
  ]
  for (const text of statements) await readRow(connection, { text, bindings: {} }).catch(() => undefined)
  connection.closeSync()
}

/**
 * Memory of the process that the engine does not count. It is subtracted, so that a run's limit covers the whole
 * process.
 */
const processMb = 100

/** A connection within the run's limits; times without a zone are UTC. */
export async function connect(instance: DuckDBInstance, limits: Limits, tempFolder: string): Promise<DuckDBConnection> {
  const connection = await DuckDBConnection.create(instance)
  const settings = [
    "TimeZone = 'UTC'",
    `threads = ${Math.max(1, Math.floor(limits.threads))}`,
    `memory_limit = '${Math.max(64, Math.floor(limits.memoryMb) - processMb)}MB'`,
    `temp_directory = ${textLiteral(`${tempFolder}/spill`)}`,
    `max_temp_directory_size = '${Math.max(1, Math.floor(limits.maxTempMb))}MB'`,
    'parquet_metadata_cache = true',
    'allocator_background_threads = true',
    "allocator_flush_threshold = '8MB'",
  ]
  // One statement text, because each call is a round trip to the engine's thread.
  await connection.run(settings.map((setting) => `SET ${setting}`).join('; '))
  return connection
}

/**
 * Restricts access to `directories` (of the source and of the run) and `paths`, all absolute, and locks the settings.
 * The engine requires this order: allow the folders, switch off other access, lock.
 */
export async function lockDown(
  connection: DuckDBConnection,
  directories: readonly string[],
  paths: readonly string[],
): Promise<void> {
  const folders = directories.map((folder) => textLiteral(folder.endsWith('/') ? folder : `${folder}/`))
  const settings = [
    `allowed_directories = [${folders.join(', ')}]`,
    ...(paths.length > 0 ? [`allowed_paths = [${paths.map(textLiteral).join(', ')}]`] : []),
    'enable_external_access = false',
    'lock_configuration = true',
  ]
  await connection.run(settings.map((setting) => `SET ${setting}`).join('; '))
}

/** Whole numbers are bound as integers, so that they compare exactly with integers beyond 2^53. */
function boundValue(value: Binding): DuckDBValue {
  return typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : value
}

export function bound(bindings: Fragment['bindings']): Record<string, DuckDBValue> {
  return Object.fromEntries(Object.entries(bindings).map(([name, value]) => [name, boundValue(value)]))
}

export async function read(connection: DuckDBConnection, statement: Fragment): Promise<DuckDBResultReader> {
  return connection.runAndReadAll(statement.text, bound(statement.bindings))
}

/** The first row of a result. */
export async function readRow(connection: DuckDBConnection, statement: Fragment): Promise<DuckDBValue[]> {
  const reader = await read(connection, statement)
  return reader.getRows()[0] ?? []
}
