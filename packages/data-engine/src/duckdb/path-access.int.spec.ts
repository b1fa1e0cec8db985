import { link, mkdir, mkdtemp, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DatasetLocator, Source } from '../dataset.ts'
import { pathAccessOf } from '../path-access.ts'
import type { Metric } from '../plan.ts'
import type { DataEngine } from '../port.ts'
import { noRows } from '../row-sink.ts'
import { createEngineInProcess } from '../testing/engine-in-process.ts'
import { planFor, written } from '../testing/plans.ts'

let root: string
let engine: DataEngine
const call = { tenant: 'default', signal: AbortSignal.timeout(120_000) }
const at = (...names: string[]) => path.join(root, ...names)

async function found(source: Source): Promise<Record<string, DatasetLocator>> {
  const tables: Record<string, DatasetLocator> = {}
  for await (const one of engine.discover(source, call)) if (one.kind === 'table') tables[one.name] = one.locator
  return tables
}

function database(file: string): void {
  const made = new DatabaseSync(file)
  made.exec('CREATE TABLE secret (a TEXT); INSERT INTO secret VALUES (1)')
  made.close()
}

/** Every operation that reads a dataset, alone or with another one. */
function readings(dataset: DatasetLocator, other: DatasetLocator): (() => Promise<unknown>)[] {
  const lookup: Metric = {
    kind: 'rows',
    id: 1,
    predicate: { kind: 'in-lookup', column: 'a', lookup: { dataset, column: 'a' } },
  }
  const select: Metric = {
    kind: 'select',
    id: 1,
    select: written('SELECT count(*) FROM t'),
    tables: [{ name: 't', dataset }],
  }
  const tables = dataset.kind === 'query' ? [] : [{ name: 't', dataset }]
  const view: DatasetLocator = { kind: 'query', sql: 'SELECT a FROM t', tables, columns: [], fingerprint: '' }
  const alongside = async (metric: Metric) => {
    const { metrics } = await engine.measure(planFor(other, [metric]), { rows: noRows, ...call })
    throw new Error(JSON.stringify(metrics[0]))
  }
  return [
    () => engine.prepare({ dataset, metrics: [] }, call),
    () => engine.sample({ dataset, limit: 1 }, call),
    () => engine.sample({ dataset: view, limit: 1 }, call),
    () => engine.profile({ dataset, maxRows: 1 }, call),
    () => engine.profile({ dataset }, call),
    () => engine.measure(planFor(dataset, []), { rows: noRows, ...call }),
    () => alongside(lookup),
    () => alongside(select),
  ]
}

beforeAll(async () => {
  root = await realpath(await mkdtemp(path.join(tmpdir(), 'assay-access-')))
  // A data folder whose path looks like a pattern, in a folder that also has users' data.
  for (const folder of ['home[1]', 'home[1]/sub', 'folder', 'folder/sub', 'a[b]', 'out'])
    await mkdir(at(folder), { recursive: true })
  for (const file of ['home[1]/own.csv', 'home[1]/sub/own.csv', 'folder/a.csv', 'folder/b.csv', 'folder/sub/own.csv'])
    await writeFile(at(file), 'a\n1\n')
  for (const file of ['home[1]/own.db', 'folder/people.db']) database(at(file))
  await symlink(at('home[1]', 'own.csv'), at('to-own.csv'))
  engine = createEngineInProcess({
    tempRoot: at('home[1]', 'temp'),
    accessOf: pathAccessOf({ listed: undefined, isEmbedded: true, own: [at('home[1]')] }),
  })
})
afterAll(async () => {
  await engine.close()
  await rm(root, { recursive: true, force: true })
})

describe("given an engine that may not read Assay's own data", () => {
  it('when a folder around that data is crawled, then the data and links into it are skipped', async () => {
    const tables = await found({ sourceType: 'FILE', path: root })
    expect(Object.keys(tables).sort()).toEqual(['a.csv', 'b.csv', 'own.csv', 'secret'])
    expect(JSON.stringify(tables)).not.toContain('home[1]')
  })

  it.each<[string, () => Source]>([
    ['the folder', () => ({ sourceType: 'FILE', path: at('home[1]') })],
    ['a pattern for it', () => ({ sourceType: 'FILE', path: at('home[1]', '*.csv') })],
    [
      'a path through a folder that looks like a pattern',
      () => ({ sourceType: 'FILE', path: `${at('a[b]')}/../home[1]` }),
    ],
    ['a database by such a path', () => ({ sourceType: 'SQLITE', path: `${at('a[b]')}/../home[1]/own.db` })],
    ['a database in it', () => ({ sourceType: 'SQLITE', path: at('home[1]', 'own.db') })],
    ['what is not there', () => ({ sourceType: 'DUCKDB', path: at('home[1]', 'nothing') })],
  ])('when %s is the source, then it is refused before it is opened', async (_, source) => {
    await expect(engine.probe(source(), call)).rejects.toMatchObject({ code: 'invalid' })
    await expect(found(source())).rejects.toMatchObject({ code: 'unprocessable' })
  })

  it("when a source has hard links, then only the links to Assay's own data are skipped", async () => {
    const source = at('linked')
    await mkdir(source)
    database(at('linked', 'people.db'))
    await link(at('folder', 'b.csv'), at('linked', 'b.csv'))
    for (const name of ['own.csv', 'own.db']) await link(at('home[1]', name), at('linked', name))
    const tables = await found({ sourceType: 'FILE', path: source })
    expect(Object.values(tables).map((table) => (table.kind === 'files' ? table.pattern : table.kind))).toEqual([
      at('linked', 'b.csv'),
      'table',
    ])
    const [b, people] = [tables['b.csv'], tables.secret]
    if (b?.kind !== 'files' || people?.kind !== 'table') throw new Error('not all was found')
    const own = { ...b, pattern: at('linked', 'own.csv') }
    const ownTable = { ...people, path: at('linked', 'own.db') }
    for (const dataset of [own, ownTable])
      await expect(engine.sample({ dataset, limit: 1 }, call)).rejects.toThrow(/own data folder/)
    const probed = engine.probe({ sourceType: 'SQLITE', path: at('linked', 'own.db') }, call)
    await expect(probed).rejects.toMatchObject({ code: 'invalid' })
    await rm(source, { recursive: true })
  })

  it('when another tenant names a folder that it may not read, then the error does not reveal whether it exists', async () => {
    const paths = [at('folder'), at('nothing'), at('home[1]'), '/etc/passwd']
    const said = paths.map((path) =>
      engine.probe({ sourceType: 'FILE', path }, { ...call, tenant: 'other' }).catch((error: unknown) => error),
    )
    for (const error of await Promise.all(said))
      expect(error).toMatchObject({
        code: 'invalid',
        message: 'lies outside of the folders that sources may be read from',
      })
  })

  it('when a crawled file, its folder, or a database becomes a link into that data, then no operation reads it', async () => {
    const tables = await found({ sourceType: 'FILE', path: at('folder') })
    const [a, own, secret, b] = [tables['a.csv'], tables['own.csv'], tables.secret, tables['b.csv']]
    if (!a || !own || !secret || !b) throw new Error('not all was found')
    const swaps = [
      ['a.csv', 'own.csv'],
      ['sub', 'sub'],
      ['people.db', 'own.db'],
    ] as const
    for (const [name, target] of swaps) {
      await rename(at('folder', name), at(`old-${name}`))
      await symlink(at('home[1]', target), at('folder', name))
    }
    const refused = /link that leads out|own data folder/
    for (const reading of readings(own, b)) await expect(reading()).rejects.toThrow(refused)
    for (const dataset of [a, secret]) await expect(engine.sample({ dataset, limit: 1 }, call)).rejects.toThrow(refused)
    // Users never see these roots in messages, but a stored locator could contain them.
    const elsewhere = a.kind === 'files' ? { ...a, root: at('home[1]'), pattern: at('home[1]', 'own.csv') } : a
    await expect(engine.sample({ dataset: elsewhere, limit: 1 }, call)).rejects.toThrow(/own data folder/)
    await expect(engine.sample({ dataset: b, limit: 1 }, call)).resolves.toMatchObject({ rows: [{ a: 1 }] })
    await expect(engine.sample({ dataset: b, limit: 1 }, { signal: call.signal })).rejects.toThrow(
      /outside of the folders/,
    )
  })
})
