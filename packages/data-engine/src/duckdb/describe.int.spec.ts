import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Source } from '../dataset.ts'
import { noContent, similarityOf } from '../states/content-sketch.ts'
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

  it('given a file that changed after its crawl, then it has its current columns, and renamed ones look alike', async () => {
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

  it('given engines with different keys, then sketches of the same values have no hash in common', async () => {
    const file = path.join(folder, 'flags.csv')
    await writeFile(file, `flag\n${'yes\nno\n'.repeat(50)}`)
    const sketchBy = async (contentKey: string) => {
      const keyed = createEngineInProcess({ contentKey })
      const dataset = await onlyTable(keyed, { sourceType: 'FILE', path: file })
      const { columns } = await keyed.describe({ dataset }, { signal })
      await keyed.close()
      return columns[0]?.content ?? noContent
    }
    const [one, same, other] = [await sketchBy('a'), await sketchBy('a'), await sketchBy('b')]
    expect([similarityOf(one, same), similarityOf(one, other)]).toEqual([1, 0])
  })
})

describe('the last change of a table', () => {
  it('given files, then it is the time of the newest file, and no file is read', async () => {
    const at = (name: string) => path.join(folder, 'days', name)
    const write = async (name: string, text: string, time: string) => {
      await mkdir(path.dirname(at(name)), { recursive: true })
      await writeFile(at(name), text)
      await utimes(at(name), new Date(time), new Date(time))
    }
    const [first, second, third] = ['2026-11-01T06:10:00.000Z', '2026-11-02T06:10:00.000Z', '2026-11-03T06:10:00.000Z']
    await write('day=1/part.csv', 'id\n1\n', first)
    await write('day=2/part.csv', 'id\n1\n', second)
    const dataset = await onlyTable(engine, { sourceType: 'FILE', path: path.join(folder, 'days') })
    await write('day=3/part.csv', 'not "a table', third)
    const { elapsedMs, state, ...change } = await engine.lastChange({ dataset }, { signal })
    const times = [first, second, third]
    expect(change).toEqual({
      at: third,
      source: 'FILE_TIME',
      times,
      files: 3,
      bytes: 22,
      newestBytes: 12,
      messages: null,
    })
    expect(elapsedMs).toBeGreaterThanOrEqual(0)
    expect(state).not.toBeNull()
    await rm(at('.'), { recursive: true })
    await expect(engine.lastChange({ dataset }, { signal })).rejects.toMatchObject({ code: 'unprocessable' })
  })

  it('given a profile, then the state of the files is equal until one is written or read in another way', async () => {
    const file = path.join(folder, 'state.csv')
    await writeFile(file, 'id\n1\n')
    const dataset = await onlyTable(engine, { sourceType: 'FILE', path: file })
    const { state } = await engine.profile({ dataset }, { signal })
    const now = async (of = dataset) => (await engine.lastChange({ dataset: of }, { signal })).state
    expect(await now()).toBe(state)
    expect(await now(Object.assign({ csv: { nullValues: ['1'] } }, dataset))).not.toBe(state)
    await writeFile(file, 'id\n2\n')
    expect(await now()).not.toBe(state)
  })

  it('given a database, then it is unknown, because its file has other tables too', async () => {
    const dataset = await onlyTable(engine, { sourceType: 'SQLITE', path: path.join(folder, 'shop.sqlite') })
    expect(await engine.lastChange({ dataset }, { signal })).toMatchObject({
      at: null,
      source: null,
      times: [],
      files: null,
    })
  })
})
