import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEngineInProcess } from '../testing/engine-in-process.ts'
import { dataEngineFeatures, measuringFeatures } from '../testing/features.ts'
import { onlyTable } from '../testing/plans.ts'

dataEngineFeatures('DuckDB', async (tempRoot) => createEngineInProcess({ threads: 2, tempRoot }))

measuringFeatures('DuckDB', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'assay-measuring-'))
  const engine = createEngineInProcess({ threads: 2 })
  const pathOf = (name: string) => join(folder, `${name}.csv`)
  return {
    engine,
    keepsRows: true,
    async table(name, text) {
      await writeFile(pathOf(name), text)
      return onlyTable(engine, { sourceType: 'FILE', path: pathOf(name) })
    },
    drop: (name) => rm(pathOf(name)),
    async stop() {
      await engine.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
})
