import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { executionKinds, type Permission, profileOperations, type TableMessage } from '@assay/contracts'
import { datasetLocator } from '@assay/data-engine'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { policyCopyPut } from '../copies/policies.ts'
import { tableCopyPut } from '../copies/tables.ts'
import { tagCopyPut } from '../references/copies.ts'
import { openSides } from '../running/open-sides.ts'
import { seriesRuns } from '../series/series.documents.ts'
import { associationFixture, itemFixture, policyFixture, runFixture, tableFixture } from '../testing/fixtures.ts'
import { bodyOf, eventually, type Harness, idOf } from '../testing/harness.ts'
import { type OnEngine, openOnEngine } from '../testing/on-engine.ts'

let on: OnEngine
let harness: Harness
let people: TableMessage
let names: TableMessage
const tenant = 'default'
const position = '0000000000000000001'
const without: Permission[] = ['ASSET_PROTECTED_VIEW']

beforeAll(async () => {
  on = await openOnEngine()
  harness = on.harness
  const tableOf = async (assetId: number, file: string, text: string) => {
    await writeFile(join(on.folder, file), text)
    return on.tableAt(join(on.folder, file), { assetId, name: file, uid: `sales.${file}` })
  }
  people = await tableOf(11, 'people.csv', 'id,ssn\n1,secret-1\n2,secret-2\n3,secret-3\n')
  names = await tableOf(50, 'names.csv', 'id,name\n1,Ann\n2,Bob\n')
  inShop("CREATE TABLE people (id, ssn); INSERT INTO people VALUES (1, 'secret-1'), (2, 'secret-2'), (3, 'secret-3')")
  inShop("CREATE TABLE names (id, name); INSERT INTO names VALUES (1, 'Ann'), (2, 'Bob')")
  await harness.deps.documents.put([
    tableCopyPut(tenant, people, position),
    tableCopyPut(tenant, names, position),
    tagCopyPut(
      tenant,
      { kind: 'tag', revision: 0, tagId: 1, name: 'pii', protected: true, mergedIntoId: null },
      position,
    ),
    tagCopyPut(tenant, associationFixture(13), position),
  ])
}, 60_000)
afterAll(() => on.close())

const columns = [
  { name: 'id', dataType: 'BIGINT' },
  { name: 'a', dataType: 'VARCHAR' },
]

function viewFixture(assetId: number, name: string, changes: Partial<TableMessage>): TableMessage {
  const uid = `sales.${name}`
  const known = columns.map((one, index) => ({ id: assetId + 1 + index, uid: `${uid}.${one.name}`, ...one }))
  return tableFixture({ assetId, name, uid, columns: known, ...changes })
}

const select = (sql: string, { name, locator }: Pick<TableMessage, 'name' | 'locator'>) =>
  datasetLocator.parse({ kind: 'query', sql, tables: [{ name, dataset: locator }], columns, fingerprint: '' })

let revision = 0
/** Defines view 200 as SELECT id and `column` of the table. */
async function define(table: TableMessage, column: string): Promise<TableMessage> {
  revision += 1
  const locator = select(`SELECT id, ${column} AS a FROM "${table.name}"`, table)
  const message = viewFixture(200, 'v', { locator, sourceIds: [table.assetId], revision })
  await harness.deps.documents.put([tableCopyPut(tenant, message, position)])
  return message
}

function inShop(sql: string): string {
  const path = join(on.folder, 'shop.sqlite')
  const database = new DatabaseSync(path)
  database.exec(sql)
  database.close()
  return path
}

/** Created once, so it has the locator of view 400 at that time. */
let outer: TableMessage | undefined

/** Redefines a view in its database and stores it as a crawl does. View 300 reads it, and is not published again. */
async function defineInSource(table: TableMessage, column: string): Promise<TableMessage> {
  revision += 1
  const from = table === people ? 'people' : 'names'
  const path = inShop(`DROP VIEW IF EXISTS inner_v; CREATE VIEW inner_v AS SELECT id, ${column} AS a FROM ${from}`)
  const { signal } = new AbortController()
  for await (const found of on.engine.discover({ sourceType: 'SQLITE', path }, { signal })) {
    if (found.kind !== 'table' || found.name !== 'inner_v') continue
    const { locator } = found
    const inner = viewFixture(400, 'inner_v', { locator, sourceIds: [table.assetId], revision })
    outer ??= viewFixture(300, 'w', { locator: select('SELECT id, a FROM "inner_v"', inner), sourceIds: [400] })
    await harness.deps.documents.put([tableCopyPut(tenant, inner, position), tableCopyPut(tenant, outer, position)])
    return outer
  }
  throw new Error('The view was not found.')
}

const shapes = [
  { title: 'a redefined view', id: 200, name: 'v', define },
  { title: 'a view of a view that was redefined in its database', id: 300, name: 'w', define: defineInSource },
]

describe.each(shapes)('$title', ({ id: assetId, name: viewName, define }) => {
  it('given an INCREMENTAL profile, then the next one reads all rows, and has no values of the earlier definition', async () => {
    let params = { id: assetId, profileId: 0 }
    const resultFor = async (hidden: Permission[]) =>
      bodyOf(await harness.call(profileOperations.getProfileResult, { params, without: hidden })).data
    const profiled = async (hidden: Permission[]) => {
      const data = {
        profilingType: 'INCREMENTAL' as const,
        markerConfig: { type: 'bound' as const, idColumnName: 'id', fromId: 0 },
      }
      const asked = { params: { id: assetId }, body: { data }, without: hidden }
      params = { id: assetId, profileId: bodyOf(await harness.call(profileOperations.startProfile, asked)).data.id }
      await eventually(
        async () => bodyOf(await harness.call(profileOperations.getProfile, { params })).data.status,
        (status) => status !== 'IN_PROGRESS',
      )
      return resultFor(hidden)
    }
    await define(people, 'ssn')
    expect(JSON.stringify(await profiled([]))).toContain('secret-1')
    await define(names, 'name')
    expect(JSON.stringify(await resultFor(without))).not.toContain('secret')
    const next = await profiled(without)
    expect(JSON.stringify(next)).not.toContain('secret')
    expect(next).toMatchObject({
      rows: 2,
      columns: [
        { min: 1, max: 2 },
        { min: 'Ann', max: 'Bob', masked: false },
      ],
    })
    expect(await profiled(without)).toMatchObject({ rows: 2 })
    await define(names, 'lower(name)')
    expect(await profiled(without)).toMatchObject({ rows: 2, columns: [{}, { min: 'ann' }] })
  })

  it('given an INCREMENTAL run, then the next one reads from the beginning, and has a new marker position', async () => {
    const target = policyFixture().policy.rule.backingAsset
    const marker = { type: 'IdMarkerConfig', columnName: 'id' }
    const backingAsset = { ...target, tableAssetId: assetId, tableAssetUid: `sales.${viewName}`, marker }
    const rule = { id: assetId + 40, backingAsset }
    const policy = policyFixture(rule, [itemFixture({ columnName: 'a' })])
    await harness.deps.documents.put([policyCopyPut(tenant, policy, position)])
    const run = async () => {
      const started = await harness.call(executionKinds.DATA_QUALITY.start, {
        params: { id: assetId + 40 },
        body: {},
        without,
      })
      const { result, execution } = await on.ended(idOf(started))
      return { rows: result?.rows, mark: execution.lastMarker?.initialOffset }
    }
    await define(people, 'ssn')
    expect(await run()).toEqual({ rows: 3, mark: '3' })
    await define(names, 'name')
    expect(await run()).toEqual({ rows: 2, mark: '2' })
    expect(await run()).toEqual({ rows: 0, mark: '2' })
  })

  it("given a run with an item that reads the view in SQL, then the item's value stays hidden, and its series ends", async () => {
    const target = policyFixture().policy.rule.backingAsset
    const rule = { id: assetId + 41, backingAsset: { ...target, tableAssetId: 50, tableAssetUid: 'sales.names.csv' } }
    const value = { sql: `SELECT max(length(a)) FROM "${viewName}"`, operator: 'GT', value: 1 }
    const item = itemFixture({ measurementType: 'SQL_METRIC', columnName: null, value })
    await harness.deps.documents.put([policyCopyPut(tenant, policyFixture(rule, [item]), position)])
    await define(people, 'ssn')
    const { start, result } = executionKinds.DATA_QUALITY
    const run = async () => {
      const executionId = idOf(await harness.call(start, { params: { id: assetId + 41 }, body: {} }))
      await on.ended(executionId)
      return executionId
    }
    const seriesOf = async (executionId: number) =>
      Object.keys((await harness.deps.documents.get(seriesRuns, tenant, executionId))?.document.points ?? {})
    const id = await run()
    const series = await seriesOf(id)
    expect(series).not.toHaveLength(0)
    expect(await seriesOf(await run())).toEqual(series)
    const valueFor = async (hidden: Permission[]) =>
      bodyOf(await harness.call(result, { params: { id }, without: hidden })).items[0]?.value
    expect([await valueFor([]), await valueFor(without)]).toEqual(['8', '***'])
    await define(names, 'name')
    expect([await valueFor([]), await valueFor(without)]).toEqual(['8', '***'])
    const next = await seriesOf(await run())
    expect(next).toHaveLength(series.length)
    expect([...new Set([...series, ...next])]).toHaveLength(2 * series.length)
  })

  it('given a run that was accepted before the redefinition, then it fails instead of reading other tables', async () => {
    const { columns } = await define(names, 'name')
    const known = runFixture()
    const [side] = known.tables
    const run = { ...known, tables: [{ ...side, assetId, columns, view: 'of another definition' }] as const }
    const opening = openSides(harness.deps.documents, tenant, run)
    await expect(opening).rejects.toMatchObject({ code: 'unprocessable', message: /redefined/ })
  })
})

it('given a view of a view that was redefined in its database since the last crawl, then its profile and its run fail', async () => {
  await defineInSource(names, 'name')
  inShop('DROP VIEW inner_v; CREATE VIEW inner_v AS SELECT id, ssn AS a FROM people')
  const params = { id: 300 }
  const body = { data: { profilingType: 'FULL' as const } }
  const profileId = bodyOf(await harness.call(profileOperations.startProfile, { params, body })).data.id
  const profile = await eventually(
    async () => bodyOf(await harness.call(profileOperations.getProfile, { params: { ...params, profileId } })).data,
    ({ status }) => status !== 'IN_PROGRESS',
  )
  const message = 'The view "inner_v" was redefined in its source. Crawl the source again.'
  expect(profile).toMatchObject({ status: 'FAILED', errorMessage: message })
  const target = policyFixture().policy.rule.backingAsset
  const rule = { id: 342, backingAsset: { ...target, tableAssetId: 300, tableAssetUid: 'sales.w' } }
  await harness.deps.documents.put([
    policyCopyPut(tenant, policyFixture(rule, [itemFixture({ columnName: 'a' })]), position),
  ])
  const started = await harness.call(executionKinds.DATA_QUALITY.start, { params: { id: 342 }, body: {} })
  const { execution } = await on.ended(idOf(started))
  expect(execution).toMatchObject({ executionStatus: 'FAILED', executionError: message })
})
