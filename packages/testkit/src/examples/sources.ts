import { copyFile, mkdir, readFile, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The data of the package that the first start crawls (services/standalone depends on it). */
const published = fileURLToPath(
  new URL('../../../../services/standalone/node_modules/vega-datasets/data', import.meta.url),
)
export const sampleFiles = ['movies.json', 'seattle-weather.csv', 'flights-3m.parquet']
/** A fixed modification time, because answers show it. */
const changedAt = new Date('2026-11-01T06:00:00Z')

/** Copies the published files to `folder`/samples, and one of them with a changed row to `folder`/warehouse. */
export async function copySources(folder: string): Promise<{ samples: string; warehouse: string }> {
  const samples = join(folder, 'samples')
  const warehouse = join(folder, 'warehouse')
  for (const path of [samples, warehouse]) await mkdir(path, { recursive: true })
  for (const name of sampleFiles) await copyFile(join(published, name), join(samples, name))
  const weather = await readFile(join(samples, 'seattle-weather.csv'), 'utf8')
  await writeFile(
    join(warehouse, 'seattle-weather.csv'),
    weather.replace('2012-01-02,10.9,10.6', '2012-01-02,10.9,16.0'),
  )
  for (const path of [...sampleFiles.map((name) => join(samples, name)), join(warehouse, 'seattle-weather.csv')])
    await utimes(path, changedAt, changedAt)
  return { samples, warehouse }
}
