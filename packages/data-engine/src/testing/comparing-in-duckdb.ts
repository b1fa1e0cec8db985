import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { openFixture } from '../duckdb/sources/fixture.ts'
import type { DataEngine } from '../port.ts'
import { quoteName } from '../sql/quote.ts'
import type { ComparingSubject } from './compare-features.ts'
import { createEngineInProcess } from './engine-in-process.ts'

/** DuckDB in this process, for `comparingFeatures`. Its tables are Parquet files in a folder of its own. */
export async function comparingInDuckDb(): Promise<
  ComparingSubject & { engine: Pick<DataEngine, 'compare' | 'take'> }
> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-comparing-'))
  const connection = await DuckDBConnection.create(await DuckDBInstance.create(':memory:'))
  await connection.run("SET TimeZone = 'UTC'")
  const fixture = await openFixture()
  const engine = createEngineInProcess({ memoryMb: 300, threads: 2 })
  const pathOf = (name: string) => join(folder, `${name}.parquet`)
  return {
    engine,
    async table(name, text, types) {
      const csv = join(folder, `${name}.csv`)
      await writeFile(csv, text)
      const names = (text.split('\n', 1)[0] ?? '').split(',')
      const columns = names.map(
        (column, index) => `CAST(${quoteName(column)} AS ${types[index]}) AS ${quoteName(column)}`,
      )
      await connection.run(
        `COPY (SELECT ${columns.join(', ')} FROM read_csv('${csv}', header = true, delim = ',', all_varchar = true, allow_quoted_nulls = false, null_padding = true)) TO '${pathOf(name)}' (FORMAT parquet)`,
      )
      const [table] = await fixture.tables({ sourceType: 'FILE', path: pathOf(name) })
      if (table === undefined) throw new Error(`${pathOf(name)} holds no table.`)
      return table.locator
    },
    drop: (name) => rm(pathOf(name)),
    async stop() {
      await engine.close()
      connection.closeSync()
      await fixture.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
