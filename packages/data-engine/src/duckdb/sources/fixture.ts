import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import type { Discovered, Source } from '../../dataset.ts'
import { openGuard } from '../../path-access.ts'
import { quoteName } from '../../sql/quote.ts'
import type { MountContext, Mounted } from '../mount.ts'
import { noCrawl } from './crawl-position.ts'
import { discoverSource, mountDataset } from './dispatch.ts'
import { createCopies } from './files/copies.ts'
import { createRunObjects } from './objects/objects.ts'
import { noStores } from './objects/stores.ts'
import { quoteList } from './sql.ts'

export type DiscoveredTable = Extract<Discovered, { kind: 'table' }>

/** The hash of a view's definition; `null` for a table. */
export function definitionOf({ locator }: DiscoveredTable): unknown {
  return 'definition' in locator ? locator.definition : null
}

/** A query over the table, as created at the crawl. */
export function selectFrom(table: DiscoveredTable): DiscoveredTable {
  if (table.locator.kind === 'query') return table
  const tables = [{ name: 'found', dataset: table.locator }]
  return { ...table, locator: { kind: 'query', sql: 'SELECT * FROM found', tables, columns: [], fingerprint: '' } }
}

/** A data folder and an engine for a test. */
export interface Fixture {
  /** The folder for the data of a test. */
  folder: string
  context: MountContext
  discover(source: Source): Promise<Discovered[]>
  tables(source: Source): Promise<DiscoveredTable[]>
  mount(table: DiscoveredTable): Promise<Mounted>
  /** Restricts the engine to the files that the mounted dataset needs. */
  lockDown(mounted: Mounted): Promise<void>
  /** All rows, as the engine writes them as text. */
  cells(mounted: Mounted): Promise<(string | null)[][]>
  close(): Promise<void>
}

export async function openFixture(): Promise<Fixture> {
  const base = await mkdtemp(join(tmpdir(), 'assay-sources-'))
  const folder = await mkdtemp(join(base, 'data-'))
  const tempFolder = await mkdtemp(join(base, 'temp-'))
  const instance = await DuckDBInstance.create(':memory:', {
    threads: '2',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  })
  const connection = await instance.connect()
  await connection.run("SET TimeZone = 'UTC'")
  const copies = createCopies(tempFolder, 1000)
  const { signal } = new AbortController()
  const context: MountContext = {
    connection,
    tempFolder,
    startedAt: 0,
    copies,
    guard: openGuard,
    brokers: null,
    stores: noStores,
    objects: createRunObjects(connection, { copies, signal, isLook: false }),
    crawl: noCrawl,
    signal,
  }
  const discover = async (source: Source) => {
    const found: Discovered[] = []
    await discoverSource(context, source, (one) => found.push(one))
    return found
  }
  return {
    folder,
    context,
    discover,
    tables: async (source) => (await discover(source)).filter((one) => one.kind === 'table'),
    mount: (table) => mountDataset(context, table.locator),
    async lockDown({ allowedDirectories, allowedPaths = [] }) {
      await connection.run(`SET allowed_directories = ${quoteList(allowedDirectories)}`)
      await connection.run(`SET allowed_paths = ${quoteList(allowedPaths)}`)
      await connection.run('SET enable_external_access = false')
      await connection.run('SET lock_configuration = true')
    },
    async cells(mounted) {
      const columns = mounted.columns.map(({ name }) => `CAST(${quoteName(name)} AS VARCHAR)`).join(', ')
      const reader = await connection.runAndReadAll(`SELECT ${columns} FROM ${mounted.relation}`)
      return reader.getRows().map((row) => row.map((value) => (value === null ? null : String(value))))
    },
    async close() {
      connection.closeSync()
      instance.closeSync()
      await rm(base, { recursive: true, force: true })
    },
  }
}
