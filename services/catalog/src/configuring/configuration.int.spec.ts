import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type OpenCrm, of, openCrm } from '../testing/crm.ts'
import { column, file, folder } from '../testing/fake-engine.ts'

let crm: OpenCrm
beforeEach(async () => {
  crm = await openCrm()
})
afterEach(() => crm.close())

describe('the configuration', () => {
  const put = async (body: unknown) =>
    (await crm.ask('updateAssetConfiguration', of(crm.table, { body }))).assetConfiguration
  it('given a description, then the asset has it, and a crawl does not change it', async () => {
    expect(await put({ assetConfiguration: { description: 'People', owner: 'ann' } })).toMatchObject({ owner: ['ann'] })
    expect(await put({ owner: ['ann', 'bob'] })).toMatchObject({ owner: ['ann', 'bob'] })
    expect(await put({ owner: '', team: ['a'], description: null })).toMatchObject({ owner: null, team: ['a'] })
    crm.engine.finds = [folder('in'), file('in/people.csv', [column('id', 'BIGINT')])]
    const { assembly } = await crm.byUid('crm.in.people.csv')
    await crm.crawl(assembly.id)
    expect((await crm.ask('getAsset', of(crm.table))).data.description).toBe('People')
    expect((await crm.ask('listAssets', { query: { ids: String(crm.table) } })).data).toMatchObject([
      { description: 'People' },
    ])
  })
  it('given a file, whose new rows are in changed files, then an INCREMENTAL profile can be started', async () => {
    const { manualProfilingTriggers } = await crm.ask('getAssetConfiguration', of(crm.table))
    expect(manualProfilingTriggers).toContainEqual({ type: 'INCREMENTAL', canTrigger: true, reason: '' })
  })
  it('given Spark resources, then they are returned with an empty list of refused fields', async () => {
    const { sparkResourceConfig } = await put({ sparkResourceConfig: { livy: { driverCores: 2 }, dataproc: null } })
    expect(sparkResourceConfig).toEqual({
      livy: { driverCores: 2 },
      ...{ additionalConfiguration: null, yunikorn: null, databricks: null, dataproc: null },
      invalidFields: [],
    })
    const read = async () =>
      (await crm.ask('getAssetConfiguration', of(crm.table))).assetConfiguration.sparkResourceConfig
    await put({ owner: 'ann' })
    expect(await read()).not.toBeNull()
    await put({ sparkResourceConfig: null })
    expect(await read()).toBeNull()
  })
  it('given a protected column, then changing how its file is read requires the permission to see its values', async () => {
    const { tagId } = await crm.tag(crm.email, { name: 'pii' })
    await crm.ask('updateTag', { params: { id: String(tagId) }, body: { protectedData: true } })
    const permissions = ['ASSET_VIEW', 'ASSET_CONFIGURATION_MODIFY']
    const ask = (more: object) =>
      crm.ask('updateAssetConfiguration', of(crm.table, { body: { csv: { header: false } }, ...more }))
    await expect(ask({ permissions })).rejects.toMatchObject({ code: 'forbidden' })
    const seeing = [...permissions, 'ASSET_PROTECTED_VIEW']
    expect((await ask({ permissions: seeing })).assetConfiguration.csv).toEqual({ header: false })
  })
  it('given CSV options, then they are kept until they are cleared, and invalid ones are refused', async () => {
    expect((await put({ csv: { decimalSeparator: ',', delimiter: ';' } })).csv).toEqual({
      delimiter: ';',
      decimalSeparator: ',',
    })
    await expect(put({ csv: { dateFormat: 'never' } })).rejects.toThrow(/^csv.dateFormat: /)
    await expect(put({ csv: { decimalseparator: ',' } })).rejects.toThrow(
      'csv: "decimalseparator" is not known here; did you mean "decimalSeparator"?',
    )
    const asked: unknown[] = []
    const { discover } = crm.engine
    crm.engine.discover = (source, call) => {
      asked.push(source)
      return discover(source, call)
    }
    crm.engine.finds = [folder('in'), file('in/people.csv', [column('id', 'BIGINT')])]
    const { assembly } = await crm.byUid('crm.in.people.csv')
    await crm.crawl(assembly.id)
    expect(asked).toMatchObject([
      { files: [{ pattern: 'in/people.csv', csv: { delimiter: ';', decimalSeparator: ',' } }] },
    ])
    expect((await put({ csv: {} })).csv).toBeNull()
  })
  it('given settings, when a request changes nothing, then there is no event', async () => {
    const changes = async () => (await crm.ask('getAssetHistory', of(crm.table))).meta.count
    const crawled = await changes()
    await put((await crm.ask('getAssetConfiguration', of(crm.table))).assetConfiguration)
    expect(await changes()).toBe(crawled)
    await put({
      csv: { delimiter: ';', header: true },
      notificationChannels: { a: 1, b: { c: 2, d: 3 } },
      owner: 'ann',
    })
    expect(await changes()).toBe(crawled + 1)
    await put({
      csv: { header: true, delimiter: ';' },
      notificationChannels: { b: { d: 3, c: 2 }, a: 1 },
      owner: ['ann'],
    })
    await put({ csv: { header: true, delimiter: ';' }, description: '' })
    await put((await crm.ask('getAssetConfiguration', of(crm.table))).assetConfiguration)
    expect(await changes()).toBe(crawled + 1)
  })
  it('given a column and a strategy, then they become the stored marker, and unfit ones are refused', async () => {
    const marker = await put({ incrementalColumn: 'id', strategy: 'idmarkerconfig' })
    expect(marker).toMatchObject({
      strategy: 'IdMarkerConfig',
      markerConfiguration: { type: 'IdMarkerConfig', columnName: 'id' },
    })
    await expect(put({ incrementalColumn: 'email' })).rejects.toThrow(/^incrementalColumn: /)
    await expect(put({ incrementalColumn: 'none' })).rejects.toThrow(/^incrementalColumn: /)
    await expect(put({ strategy: 'DateTimeMarkerConfig' })).rejects.toThrow(/^strategy: /)
    await expect(put({ scheduled: true })).rejects.toThrow(/^schedule: /)
    await expect(put({ schedule: 'never' })).rejects.toThrow()
    expect((await crm.ask('getAssetConfiguration', of(crm.table))).assetConfiguration).toEqual(marker)
  })
  it('given a marker, when null is sent for it, then it is cleared; a new column makes a new one', async () => {
    await put({ incrementalColumn: 'id', strategy: 'IdMarkerConfig' })
    const cleared = await put({ markerConfiguration: null })
    expect(cleared).toMatchObject({ incrementalColumn: 'id', markerConfiguration: null })
    expect(await put(cleared)).toEqual(cleared)
    await put({ incrementalColumn: '', strategy: '' })
    const { assetConfiguration } = await crm.ask('getAssetConfiguration', of(crm.table))
    const sent = { ...assetConfiguration, incrementalColumn: 'id', strategy: 'IdMarkerConfig' }
    expect(await put(sent)).toMatchObject({ markerConfiguration: { columnName: 'id' } })
  })
  it('given an asset without rows of its own, then no profile can be scheduled', async () => {
    const body = { scheduled: true, schedule: '@daily' }
    for (const id of [crm.email, (await crm.byUid('crm.in')).id])
      await expect(crm.ask('updateAssetConfiguration', of(id, { body }))).rejects.toMatchObject({
        ...{ code: 'invalid', message: expect.stringMatching(/^scheduled: no profile can be scheduled/) },
      })
    expect(await put(body)).toMatchObject(body)
  })
  it('given custom metadata, then it is listed after the crawled items', async () => {
    const add = async (id: number, body: unknown) => (await crm.ask('addCustomMetadata', of(id, { body }))).data.items
    expect((await add(crm.table, { team: 'x', n: 5, none: null })).slice(-2)).toEqual([
      { key: 'n', value: '5', dataType: 'LONG', source: 'CUSTOM' },
      { key: 'team', value: 'x', dataType: 'STRING', source: 'CUSTOM' },
    ])
    const parent = (await crm.byUid('crm.in')).id
    await expect(crm.ask('getAssetMetadata', of(parent))).rejects.toMatchObject({ code: 'not-found' })
    await add(parent, { team: 'x' })
    expect((await crm.ask('getAssetMetadata', of(parent))).data).toMatchObject({
      columns: [],
      items: [{ key: 'team' }],
    })
  })
})
