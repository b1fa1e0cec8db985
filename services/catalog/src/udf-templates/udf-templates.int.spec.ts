import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { DatabaseSync } from 'node:sqlite'
import { internalTopics, udfTemplateMessage } from '@assay/contracts'
import { createEngineInProcess } from '@assay/data-engine/testing'
import { documentPut } from '@assay/documents'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { policyUses } from '../policy-uses/policy-uses.ts'
import { startCatalog } from '../testing/harness.ts'

let root: string
let engine: ReturnType<typeof createEngineInProcess>
let catalog: Awaited<ReturnType<typeof startCatalog>>
let table: number
let assemblyId: number

beforeAll(async () => {
  root = await realpath(await mkdtemp(`${tmpdir()}/catalog-`))
  await mkdir(`${root}/data`)
  await writeFile(`${root}/data/orders.csv`, 'id,amount,secret\n1,10,x\n2,20,y\n3,,z\n')
  await writeFile(`${root}/data/late.csv`, 'a\n1\n')
  engine = createEngineInProcess({ tempRoot: `${root}/temp` })
  catalog = await startCatalog(root, { dependencies: { engine } })
  const body = { name: 'shop', sourceType: 'FILE', configuration: { path: `${root}/data` } }
  const made = await catalog.call('createAssembly', { body })
  assemblyId = made.body.data.id
  await catalog.crawlEnded((await catalog.lastCrawl(assemblyId)).id)
  table = (await catalog.byUid('shop.orders.csv')).id
}, 120_000)
afterAll(async () => {
  await catalog.stop()
  await engine.close()
  await rm(root, { recursive: true })
})

let names = 0
const request = (more: object = {}) => {
  names += 1
  return {
    name: `t${names}`,
    description: null,
    code: '${column} > ${least}',
    language: 'EXPRESSION',
    udfType: 'FILTER',
    udfDataType: 'BOOLEAN',
    variables: [
      { key: 'column', isColumnVariable: true },
      { key: 'least', value: '15' },
    ],
    ...more,
  }
}
const create = async (more: object = {}, tenant = 'default') =>
  (await catalog.call('createUdfTemplate', { body: request(more), tenant })).body
const of = (id: number, body?: object) => ({ params: { id: String(id) }, ...(body ? { body } : {}) })
type Permissions = NonNullable<Parameters<typeof catalog.call>[1]>['permissions']
async function validated(id: number, body: object, permissions: Permissions = []) {
  const started = await catalog.call('validateUdfTemplate', {
    ...of(id, { analyticsPipelineId: 1, ...body }),
    permissions,
  })
  expect(started.body).toMatchObject({ jobExecutionStatus: 'IN_PROGRESS', result: null, errorMsg: null })
  const { requestId } = started.body
  return vi.waitFor(
    async () => {
      const { body: now } = await catalog.call('getUdfValidation', { params: { requestId }, permissions })
      expect(now.jobExecutionStatus).not.toBe('IN_PROGRESS')
      return now
    },
    { timeout: 60_000, interval: 50 },
  )
}

describe('UDF templates', { timeout: 120_000 }, () => {
  it('given a template, then it can be read, listed, replaced and deleted, and is published', async () => {
    const made = await create()
    expect(made).toMatchObject({
      variables: ['column', 'least'],
      usedInPolices: [],
      isTemplate: true,
      createdBy: 'ann',
    })
    expect((await catalog.call('getUdfTemplate', of(made.id))).body).toEqual(made)
    expect((await catalog.call('listUdfTemplates')).body).toContainEqual(made)
    const paged = await catalog.call('listUdfTemplates', { query: { isPaginated: 'true', size: '1' } })
    expect(paged.body).toMatchObject({ data: [made], meta: { page: 0, size: 1 } })
    const { body: changed } = await catalog.call('updateUdfTemplate', of(made.id, request({ code: 'true' })))
    expect(changed).toMatchObject({ id: made.id, code: 'true', createdAt: made.createdAt })
    await catalog.call('deleteUdfTemplate', of(made.id))
    for (const id of ['getUdfTemplate', 'deleteUdfTemplate'] as const)
      await expect(catalog.call(id, of(made.id))).rejects.toMatchObject({ code: 'not-found' })
    const gone = catalog.call('updateUdfTemplate', of(made.id, request()))
    await expect(gone).rejects.toMatchObject({ code: 'not-found' })
    await vi.waitFor(
      () => {
        const published = catalog.published.filter(({ topic }) => topic === internalTopics.udfTemplates)
        expect(udfTemplateMessage.parse(published.at(-1)?.message.data)).toMatchObject({
          udfId: made.id,
          isDeleted: true,
        })
      },
      { timeout: 15_000 },
    )
    expect((await create({ name: changed.name })).id).not.toBe(made.id)
  })

  it('given a taken name, then a template is refused, or replaces the other on request; of ten concurrent requests one succeeds', async () => {
    const made = await create({ name: 'same' })
    await expect(create({ name: 'same' })).rejects.toMatchObject({ code: 'unprocessable' })
    expect(await create({ name: 'same', code: 'false', override: true })).toMatchObject({ id: made.id, code: 'false' })
    await create({ name: 'same' }, 'other')
    const all = await Promise.allSettled(Array.from({ length: 10 }, () => create({ name: 'raced' })))
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  it.each([
    { udfDataType: 'STRING' },
    { udfType: 'NUMBER', udfDataType: 'LONG', isLookup: true },
    { variables: [{ key: 'a' }, { key: 'a' }] },
  ])('given %j, then the template is refused', async (more) => {
    await expect(create(more)).rejects.toMatchObject({ code: 'unprocessable' })
  })

  it('given a validation, then its rows are not in the log, and the public event has only the request', async () => {
    const { id } = await create()
    const testData = '[{"amount": 471147114711}]'
    const variables = [{ key: 'column', value: 'amount' }]
    const { requestId, result } = await validated(id, { useTestData: true, testData, variables })
    expect(result).toHaveProperty('data', [{ amount: 471147114711, result: true }])
    const logged = (await catalog.events('udfvalidation')).filter(({ data }) =>
      JSON.stringify(data).includes(requestId),
    )
    expect(logged.length).toBeGreaterThan(1)
    expect(JSON.stringify(logged)).not.toContain('471147114711')
    const published = await vi.waitFor(
      () => {
        const asked = catalog.published.filter(({ message }) => message.type.endsWith('UdfValidationRequested'))
        const found = asked.map(({ message }) => JSON.stringify(message.data))
        const own = found.filter((text) => text.includes(`"subject":"udf-template/${id}"`))
        expect(own).not.toEqual([])
        return own
      },
      { timeout: 15_000 },
    )
    expect(published).toHaveLength(1)
    expect(published[0]).not.toContain('471147114711')
  })

  it('given rows of an asset, when a template is validated, then each row has its result', async () => {
    const { id } = await create()
    const body = { assetId: table, variables: [{ key: 'column', value: 'amount' }], selectedColumns: ['id'] }
    expect(await validated(id, body)).toMatchObject({
      jobExecutionStatus: 'SUCCESSFUL',
      result: {
        data: [
          { id: 1, result: false },
          { id: 2, result: true },
          { id: 3, result: null },
        ],
      },
    })
    const unknown = { ...body, variables: [{ key: 'column', value: 'none' }] }
    expect(await validated(id, unknown)).toMatchObject({
      jobExecutionStatus: 'FAILED',
      errorMsg: expect.stringContaining('none'),
    })
  })

  it('given test data, then the template is applied to it; a wrong type, and text that closes the expression, fail', async () => {
    const test = { useTestData: true, testData: '[{"a": 2, "b": "x"}, {"a": null, "b": "it\'s"}]', variables: [] }
    const number = await create({ code: 'a * 2', udfType: 'NUMBER', udfDataType: 'LONG', variables: null })
    const shown = await validated(number.id, test)
    expect(shown.result).toHaveProperty('data', [
      { a: 2, b: 'x', result: 4 },
      { a: null, b: "it's", result: null },
    ])
    const wrong = await create({ code: 'b', udfType: 'TRANSFORM', udfDataType: 'LONG', variables: null })
    expect((await validated(wrong.id, test)).errorMsg).toContain('VARCHAR')
    const leaving = await create({ code: 'a) , (1', udfType: 'NUMBER', udfDataType: 'LONG', variables: null })
    expect((await validated(leaving.id, test)).jobExecutionStatus).toBe('FAILED')
  })

  it('given a missing template or another language, then no validation starts', async () => {
    const { id } = await create()
    const python = await create({ language: 'PYTHON', code: 'def f(): pass' })
    const begin = (udf: number, body: object) => catalog.call('validateUdfTemplate', of(udf, body))
    for (const body of [{ assetId: table }, { analyticsPipelineId: 2, assetId: table }, { analyticsPipelineId: 1 }])
      await expect(begin(id, body)).rejects.toMatchObject({ code: 'unprocessable' })
    const noData = { analyticsPipelineId: 1, useTestData: true }
    await expect(begin(id, noData)).rejects.toMatchObject({ code: 'unprocessable' })
    await expect(begin(id, { analyticsPipelineId: 1, assetId: 9999 })).rejects.toMatchObject({ code: 'unprocessable' })
    const other = { analyticsPipelineId: 1, assetId: table }
    await expect(begin(python.id, other)).rejects.toMatchObject({ code: 'unprocessable' })
    const missing = catalog.call('getUdfValidation', { params: { requestId: 'none' } })
    await expect(missing).rejects.toMatchObject({ code: 'not-found' })
    const checked = create({ enableValidation: true, assetId: table, code: 'nothing > 1', variables: null })
    await expect(checked).rejects.toMatchObject({ code: 'unprocessable' })
  })

  it('given protected columns, then only a key with the permission sees results that read them', async () => {
    const secret = (await catalog.byUid('shop.orders.csv.secret')).id
    const added = await catalog.call('addAssetTag', { ...of(secret, { name: 'hidden' }) })
    await catalog
      .call('updateTag', { params: { id: String(added.body.tagId) }, body: { protectedData: true } })
      .catch(() => undefined)
    const { id } = await create({ code: "secret = 'x'", variables: null })
    const body = { assetId: table }
    const seen = await validated(id, body, ['ASSET_PROTECTED_VIEW'])
    expect(seen).toMatchObject({ jobExecutionStatus: 'SUCCESSFUL' })
    const { body: hidden } = await catalog.call('getUdfValidation', { params: { requestId: seen.requestId } })
    expect(hidden).toMatchObject({ result: null, errorMsg: expect.stringContaining('ASSET_PROTECTED_VIEW') })
    await expect(validated(id, body)).rejects.toMatchObject({ code: 'forbidden' })
    const failing = await create({ code: 'CAST(secret AS INTEGER) = 1', variables: null })
    const failed = await validated(failing.id, body, ['ASSET_PROTECTED_VIEW'])
    const withoutValue = expect.stringMatching(/^A value cannot be converted to INTEGER/)
    expect(failed).toMatchObject({ jobExecutionStatus: 'FAILED', errorMsg: withoutValue })
    const { body: published } = await catalog.call('getUdfValidation', { params: { requestId: failed.requestId } })
    expect(published).toMatchObject({ result: null, errorMsg: withoutValue })
  })

  it('given a policy on a table with a protected column, then only a key with the permission lets its template read it', async () => {
    const secret = (await catalog.byUid('shop.orders.csv.secret')).id
    const tag = (await catalog.call('createTag', { body: { name: 'guarded', protectedData: true } })).body
    await catalog.call('addAssetTag', { ...of(secret, { id: tag.id }) })
    const { id } = await create({ code: '${column} > 1' })
    const use = { policyId: 8, name: 'p', archived: false, assetIds: [table], udfIds: [id] }
    await catalog.documents.put([documentPut(policyUses, 'default', 8, use, { revision: 1, position: '1' })])
    const update = (code: string, more = {}) =>
      catalog.call('updateUdfTemplate', { ...of(id, request({ code })), ...more })
    await expect(update("secret = 'x'")).rejects.toMatchObject({ code: 'forbidden' })
    expect((await update('${column} > 2')).body.code).toBe('${column} > 2')
    const permissions = ['ASSET_PROTECTED_VIEW'] as const
    expect((await update("secret = 'y'", { permissions })).body.code).toBe("secret = 'y'")
  })

  it('given a view of a table, when a column of it becomes protected, then an earlier result is hidden', async () => {
    const asset = { name: 'late', assemblyId, uid: 'ignored', isCustom: true }
    const details = { query: 'SELECT a FROM "late.csv"', description: 'A view.', queryType: 'SQL_QUERY' }
    const data = { asset, details, schema: [{ name: 'a', type: 'BIGINT', nullable: true }] }
    const made = await catalog.call('createSqlView', { body: { data } })
    const view = made.body.data.customAsset.id
    const { id } = await create({ code: 'a > 0', variables: null })
    const { requestId } = await validated(id, { assetId: view })
    const shown = async () => (await catalog.call('getUdfValidation', { params: { requestId } })).body.result
    expect(await shown()).not.toBeNull()
    const column = (await catalog.byUid('shop.late.csv.a')).id
    const tag = (await catalog.call('createTag', { body: { name: 'later', protectedData: true } })).body
    await catalog.call('addAssetTag', of(column, { id: tag.id }))
    expect(await shown()).toBeNull()
    await expect(validated(id, { assetId: view })).rejects.toMatchObject({ code: 'forbidden' })
    await catalog.call('deleteAssetTag', {
      params: { id: String(column), tagId: String(tag.id) },
      permissions: ['ASSET_VIEW', 'ASSET_PROTECTED_VIEW'],
    })
    expect(await shown()).not.toBeNull()
    // Earlier rows come from the earlier table, whatever the view reads now.
    const other = { ...details, query: 'SELECT 1 AS a' }
    await catalog.call('updateSqlView', of(view, { data: { details: other, schema: data.schema } }))
    expect(await shown()).not.toBeNull()
    await catalog.call('addAssetTag', of(column, { id: tag.id }))
    expect(await shown()).toBeNull()
  })

  it('given a view over a view that its source redefines, then protecting the earlier table hides an earlier result', async () => {
    const path = `${root}/people.sqlite`
    const inSource = (sql: string) => {
      const database = new DatabaseSync(path)
      database.exec(sql)
      database.close()
    }
    inSource(`CREATE TABLE people (ssn INTEGER); INSERT INTO people VALUES (1); CREATE TABLE numbers (n INTEGER);
      CREATE VIEW v AS SELECT ssn AS a FROM people;`)
    const body = { name: 'lite', sourceType: 'SQLITE', configuration: { path } }
    const source: number = (await catalog.call('createAssembly', { body })).body.data.id
    await catalog.crawlEnded((await catalog.lastCrawl(source)).id)
    const asset = { name: 'w', assemblyId: source, uid: 'ignored', isCustom: true }
    const details = { query: 'SELECT a FROM "v"', description: 'A view.', queryType: 'SQL_QUERY' }
    const schema = [{ name: 'a', type: 'BIGINT', nullable: true }]
    const made = await catalog.call('createSqlView', { body: { data: { asset, details, schema } } })
    const { id } = await create({ code: 'a > 0', variables: null })
    const { requestId } = await validated(id, { assetId: made.body.data.customAsset.id })
    const shown = async () => (await catalog.call('getUdfValidation', { params: { requestId } })).body.result
    inSource('DROP VIEW v; CREATE VIEW v AS SELECT n AS a FROM numbers')
    await catalog.crawl(source)
    expect(await shown()).not.toBeNull()
    const { id: column } = await catalog.byUid('lite.people.main.people.ssn')
    const tag = (await catalog.call('createTag', { body: { name: 'of people', protectedData: true } })).body
    await catalog.call('addAssetTag', of(column, { id: tag.id }))
    expect(await shown()).toBeNull()
  })

  it('given a policy that uses a template, then the template lists the policy, and cannot be deleted', async () => {
    const { id } = await create()
    const use = { policyId: 7, name: 'p', archived: false, assetIds: [], udfIds: [1, 2, 3, 4, 5, id] }
    const put = (archived: boolean, revision: number) =>
      documentPut(policyUses, 'default', 7, { ...use, archived }, { revision, position: '1' })
    await catalog.documents.put([put(false, 1)])
    const { body } = await catalog.call('getUdfTemplate', of(id))
    expect(body.usedInPolices).toEqual([{ ruleId: 7, ruleName: 'p' }])
    await expect(catalog.call('deleteUdfTemplate', of(id))).rejects.toMatchObject({ code: 'unprocessable' })
    await catalog.documents.put([put(true, 2)])
    await catalog.call('deleteUdfTemplate', of(id))
  })
})
