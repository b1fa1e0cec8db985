import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Source } from '../dataset.ts'
import { similarityOf } from '../states/content-sketch.ts'
import { createEngineInProcess } from '../testing/engine-in-process.ts'
import { onlyTable } from '../testing/plans.ts'
import type { DuckDbEngine } from './engine.ts'

let folder: string
let engine: DuckDbEngine
const { signal } = new AbortController()

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'assay-describe-'))
  engine = createEngineInProcess()
  const at = (name: string) => path.join(folder, name)
  const sqlite = new DatabaseSync(at('shop.sqlite'))
  sqlite.exec('CREATE TABLE orders (id INTEGER NOT NULL, note TEXT); INSERT INTO orders VALUES (1, NULL)')
  sqlite.close()
  const instance = await DuckDBInstance.create(at('shop.duckdb'))
  const connection = await instance.connect()
  await connection.run('CREATE TABLE orders (id INTEGER NOT NULL, note VARCHAR); INSERT INTO orders VALUES (1, NULL)')
  connection.closeSync()
  instance.closeSync()
})
afterAll(async () => {
  await engine.close()
  await rm(folder, { recursive: true, force: true })
})

const nullableOf = async (source: Source) => {
  const { columns } = await engine.describe({ dataset: await onlyTable(engine, source) }, { signal })
  return columns.map(({ name, nullable }) => [name, nullable])
}

describe('describing a table', () => {
  it.each(['SQLITE', 'DUCKDB'] as const)('given NOT NULL in %s, then it says so', async (sourceType) => {
    const source = { sourceType, path: path.join(folder, `shop.${sourceType.toLowerCase()}`) }
    expect(await nullableOf(source)).toEqual([
      ['id', false],
      ['note', true],
    ])
  })

  it('given a file that changed after its crawl, then it has the columns of now, and renamed ones look alike', async () => {
    const file = path.join(folder, 'people.csv')
    const text = Array.from({ length: 3000 }, (_, row) => `${row},n${row % 700},${row % 2}`).join('\n')
    await writeFile(file, `id,name,flag\n${text}\n`)
    const dataset = await onlyTable(engine, { sourceType: 'FILE', path: file })
    const before = await engine.describe({ dataset }, { signal })
    await writeFile(file, `id,called,flag\n${text}\nx,y,z\n`)
    const after = await engine.describe({ dataset }, { signal })
    expect(after.columns.map(({ name, dataType }) => `${name} ${dataType}`)).toEqual([
      'id VARCHAR',
      'called VARCHAR',
      'flag VARCHAR',
    ])
    const [id, name, flag] = before.columns.map(({ content }) => content)
    const called = after.columns[1]?.content
    if (!id || !name || !flag || !called) throw new Error('A column is missing.')
    expect([name, id, flag].map((one) => similarityOf(one, called))).toEqual([1, 0, 0])
    expect(name.values).toBe(1000)
  })
})
