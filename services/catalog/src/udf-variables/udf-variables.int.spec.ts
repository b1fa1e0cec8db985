import { internalTopics, type Permission, publicTopics, udfVariablesMessage } from '@assay/contracts'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { column, createFakeEngine, file, folder } from '../testing/fake-engine.ts'
import { type OpenCatalog, openCatalog } from '../testing/harness.ts'

let catalog: OpenCatalog
let table: number

beforeEach(async () => {
  const engine = createFakeEngine()
  engine.finds = [folder('in'), file('in/people.csv', [column('id', 'BIGINT')])]
  catalog = await openCatalog({ engine })
  await catalog.assembly('crm')
  table = (await catalog.byUid('crm.in.people.csv')).id
})
afterEach(() => catalog.close())

const create = async (body: object, assetId = table, tenant = 'default') =>
  (await catalog.call('createUdfVariable', { params: { id: String(assetId) }, body, tenant })).body
const of = (variableId: number, body?: object) => ({
  params: { id: String(table), variableId: String(variableId) },
  ...(body === undefined ? {} : { body }),
})

describe('UDF variables', () => {
  it('given a variable, then it can be read, changed and deleted, and is published with the path of its asset', async () => {
    const made = await create({ key: 'limit', value: '0.95', assetId: table, uid: 'x' })
    expect(made).toEqual({
      id: expect.any(Number),
      assetId: table,
      key: 'limit',
      value: '0.95',
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    })
    expect((await catalog.call('getUdfVariable', of(made.id))).body).toEqual(made)
    const changed = await catalog.call('updateUdfVariable', of(made.id, { key: null, value: '1' }))
    expect(changed.body).toMatchObject({ key: 'limit', value: '1', createdAt: made.createdAt })
    const list = await catalog.call('listUdfVariables', { params: { id: String(table) } })
    expect(list.body).toEqual({ assetId: table, variables: [{ id: made.id, key: 'limit', value: '1' }] })
    await vi.waitFor(
      () => {
        const published = catalog.published.filter(({ topic }) => topic === internalTopics.udfVariables)
        expect(published.map(({ message }) => udfVariablesMessage.parse(message.data)).at(-1)).toEqual({
          revision: 1,
          assetId: table,
          path: ['crm', 'in', 'people.csv'],
          variables: [{ key: 'limit', value: '1' }],
        })
      },
      { timeout: 15_000 },
    )
    await catalog.call('deleteUdfVariable', of(made.id))
    await expect(catalog.call('getUdfVariable', of(made.id))).rejects.toMatchObject({ code: 'not-found' })
    await expect(catalog.call('deleteUdfVariable', of(made.id))).rejects.toMatchObject({ code: 'not-found' })
    const history = await catalog.call('getAssetHistory', { params: { id: String(table) } })
    expect(history.body.data[0]).toMatchObject({ action: 'UdfVariableDeleted', actor: 'ann', accessKey: 'key' })
    await vi.waitFor(
      () => {
        const types = catalog.published.flatMap(({ topic, message }) =>
          topic === publicTopics.assets && message.type.includes('Udf') ? [message.type] : [],
        )
        expect(types).toHaveLength(3)
      },
      { timeout: 15_000 },
    )
  })

  it('given a key without USER_DEFINED_FUNCTION_VIEW, then the history shows it names of variables, but no values', async () => {
    const { id } = await create({ key: 'limit', value: 'SECRET-1' })
    await catalog.call('updateUdfVariable', of(id, { value: 'SECRET-2' }))
    await catalog.call('deleteUdfVariable', of(id))
    const changes = async (permissions: readonly Permission[]) =>
      (await catalog.call('getAssetHistory', { params: { id: String(table) }, permissions })).body.data
        .filter(({ entityType }: { entityType: string }) => entityType === 'UDF_VARIABLE')
        .map(({ before, after }: { before: unknown; after: unknown }) => [before, after])
    const [first, second] = [1, 2].map((n) => ({ key: 'limit', value: `SECRET-${n}` }))
    expect(await changes(['ASSET_VIEW', 'USER_DEFINED_FUNCTION_VIEW'])).toEqual([
      [second, null],
      [first, second],
      [null, first],
    ])
    const name = { key: 'limit' }
    expect(await changes(['ASSET_VIEW'])).toEqual([
      [name, null],
      [name, name],
      [null, name],
    ])
  })

  it.each([
    [{ key: '', value: 'x' }, 'unprocessable'],
    [{ key: 'a', value: 'x', assetId: 999 }, 'unprocessable'],
  ])('given %j, then the variable is refused as %s', async (body, code) => {
    await expect(create(body)).rejects.toMatchObject({ code })
  })

  it('given no key, no value or an unknown asset, then the request is refused', async () => {
    await expect(create({ value: 'x' })).rejects.toThrow()
    await expect(create({ key: 'x', value: null })).rejects.toThrow()
    await expect(create({ key: 'x', value: '1' }, 999)).rejects.toMatchObject({ code: 'unprocessable' })
    await expect(create({ key: 'x', value: '1' }, table, 'other')).rejects.toMatchObject({ code: 'unprocessable' })
    const list = catalog.call('listUdfVariables', { params: { id: '999' } })
    await expect(list).rejects.toMatchObject({ code: 'not-found' })
    const { id } = await create({ key: 'x', value: '1' })
    await expect(catalog.call('updateUdfVariable', of(id, {}))).rejects.toMatchObject({ code: 'unprocessable' })
    await expect(catalog.call('updateUdfVariable', of(999, {}))).rejects.toMatchObject({ code: 'not-found' })
  })

  it('given twenty concurrent requests with one key, then one succeeds', async () => {
    const all = await Promise.allSettled(Array.from({ length: 20 }, (_, n) => create({ key: 'k', value: `${n}` })))
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const refused = all.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []))
    expect(new Set(refused)).toEqual(new Set(['unprocessable']))
  })
})
