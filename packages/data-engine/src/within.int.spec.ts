import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { DatasetLocator, TableLocator } from './dataset.ts'
import type { Metric, SqlText } from './plan.ts'
import type { DataEngine } from './port.ts'
import { withinFolders } from './within.ts'

let folder: string
const signal = AbortSignal.timeout(60_000)

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-within-'))
  for (const name of ['allowed', 'allowed-not', 'elsewhere']) {
    await mkdir(join(folder, name))
    await writeFile(join(folder, name, 'a.csv'), 'a\n1\n')
  }
  await writeFile(join(folder, 'allowed', '[b].csv'), 'a\n1\n')
  await symlink(join(folder, 'elsewhere'), join(folder, 'allowed', 'link'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Opens everything that it is given: what is refused never comes to it. */
function openEngine() {
  const opened: string[] = []
  const open = (name: string) => async (): Promise<never> => {
    opened.push(name)
    throw new Error('opened')
  }
  const inner: DataEngine = {
    // biome-ignore lint/correctness/useYield: it is only seen to be asked.
    async *discover() {
      opened.push('discover')
    },
    probe: open('probe'),
    prepare: open('prepare'),
    measure: open('measure'),
    sample: open('sample'),
    distributions: open('distributions'),
    profile: open('profile'),
    rewrite: open('rewrite'),
    children: () => [],
    close: async () => undefined,
  }
  return { opened, engine: withinFolders(inner, [join(folder, 'allowed')], (path) => realpath(path)) }
}

const rest = { columns: [], fingerprint: '' }
const file = (pattern: string, root = join(folder, 'allowed')): TableLocator => ({
  kind: 'files',
  root,
  pattern: join(folder, pattern),
  format: 'CSV',
  partitioned: false,
  ...rest,
})
const table = (path: string): TableLocator => ({
  kind: 'table',
  engine: 'SQLITE',
  path: join(folder, path),
  schema: null,
  table: 't',
  ...rest,
})
const view = (dataset: TableLocator): DatasetLocator => ({
  kind: 'query',
  sql: 'SELECT 1',
  tables: [{ name: 't', dataset }],
  ...rest,
})

describe('given an engine that is bound to a folder', () => {
  test.each<[string, () => DatasetLocator]>([
    ['a file in it', () => file('allowed/a.csv')],
    ['a file whose name looks like a pattern', () => file('allowed/[b].csv')],
    ['a set of files in it', () => file('allowed/*.csv')],
    ['a database in it', () => table('allowed/a.csv')],
    ['a view of a file in it', () => view(file('allowed/a.csv'))],
  ])('when %s is asked for, then it is opened', async (_, dataset) => {
    const { opened, engine } = openEngine()
    await expect(engine.sample({ dataset: dataset(), limit: 1 }, { signal })).rejects.toThrow('opened')
    expect(opened).toEqual(['sample'])
  })

  test.each<[string, () => DatasetLocator]>([
    ['a file elsewhere', () => file('elsewhere/a.csv')],
    ['a file of a folder whose name begins the same', () => file('allowed-not/a.csv')],
    ['a file behind a link', () => file('allowed/link/a.csv')],
    ['a set behind a link', () => file('allowed/link/*.csv')],
    ['a set with a root elsewhere', () => file('allowed/*.csv', join(folder, 'elsewhere'))],
    ['a way out of it', () => ({ ...file('allowed/a.csv'), pattern: `${folder}/allowed/../elsewhere/*.csv` })],
    ['a database elsewhere', () => table('elsewhere/a.csv')],
    ['a view of a database elsewhere', () => view(table('elsewhere/a.csv'))],
  ])('when %s is asked for, then it is refused by every call, and not opened', async (_, of) => {
    const { opened, engine } = openEngine()
    const dataset = of()
    const lookup = { dataset, column: 'a' }
    const within = file('allowed/a.csv')
    const limits = { timeoutMs: 1, maxTempMb: 1, memoryMb: 1, threads: 1 }
    const plan = { metrics: [], rows: { bad: null, good: null, preview: 0 }, limits }
    const metric: Metric = { kind: 'rows', id: 1, predicate: { kind: 'in-lookup', column: 'a', lookup } }
    const sql: SqlText = { sql: 'SELECT 1', variables: {} }
    const select: Metric = { kind: 'select', id: 1, select: sql, tables: [{ name: 't', dataset }] }
    const calls = [
      () => engine.prepare({ dataset, metrics: [] }, { signal }),
      () => engine.prepare({ dataset: within, metrics: [metric] }, { signal }),
      () => engine.prepare({ dataset: within, metrics: [select] }, { signal }),
      () => engine.measure({ ...plan, dataset }, { outputFolder: folder, signal }),
      () => engine.measure({ ...plan, dataset: within, metrics: [metric] }, { outputFolder: folder, signal }),
      () => engine.sample({ dataset, limit: 1 }, { signal }),
      () => engine.distributions({ dataset, maxRows: 1 }, { signal }),
      () => engine.profile({ dataset, limits }, { signal }),
    ]
    for (const call of calls) await expect(call()).rejects.toMatchObject({ code: 'unprocessable' })
    expect(opened).toEqual([])
  })

  test('when a source elsewhere is looked at, then it is refused', async () => {
    const { opened, engine } = openEngine()
    const source = { sourceType: 'FILE', path: join(folder, 'elsewhere') } as const
    await expect(engine.probe(source, { signal })).rejects.toMatchObject({ code: 'unprocessable' })
    await expect(engine.discover(source, { signal })[Symbol.asyncIterator]().next()).rejects.toMatchObject({
      code: 'unprocessable',
    })
    expect(opened).toEqual([])
  })

  test('when there is no bound, then it is the engine itself', () => {
    const { engine } = openEngine()
    expect(withinFolders(engine, undefined, realpath)).toBe(engine)
  })
})
