import {
  internalTopics,
  policyOperations as operations,
  policyKinds,
  policyMessage,
  publicTopics,
} from '@assay/contracts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { eventually, type Harness, openHarness, tableFixture } from './testing/harness.ts'

const quality = policyKinds.DATA_QUALITY

let harness: Harness
beforeEach(async () => {
  harness = await openHarness()
  await harness.table(tableFixture())
})
afterEach(() => harness.close())

const missing = { measurementType: 'MISSING_VALUES', columnName: 'note' }
const create = (rule: object = {}, items: object[] = [missing], tenant = 'default') =>
  harness.call(quality.create, {
    body: { rule: { name: 'orders are sound', backingAsset: { tableAssetId: 11 }, ...rule }, items },
    tenant,
  })
const update = (id: number, body: object) =>
  harness.call(quality.update, { params: { id }, body: { rule: {}, ...body } })
const get = (identifier: string | number, query: object = {}) =>
  harness.call(quality.get, { params: { identifier }, query })
const list = (query: object = {}) => harness.call(quality.list, { query })

describe('creating', () => {
  it('answers the whole record with defaults, and it can be read at once', async () => {
    const made = await create()
    expect(made.rule).toMatchObject({
      id: 1,
      version: 1,
      type: 'DATA_QUALITY',
      description: '',
      enabled: true,
      archived: false,
      scheduled: false,
      timeZone: 'UTC',
      policyScoreStrategy: 'WEIGHTAGE',
      includeInQualityScore: true,
      treatZeroRowsAsSuccess: false,
      thresholdLevel: { type: 'ABSOLUTE', success: 100, warning: null, config: { direction: 'ABOVE', success: 100 } },
      backingAsset: { tableAssetId: 11, tableAssetUid: 'sales.orders.csv' },
      createdBy: 'ann',
    })
    expect(made.details.items).toMatchObject([
      {
        id: 1,
        name: 'MISSING_VALUES note',
        resultThreshold: 100,
        weightage: 1,
        executionOrder: 0,
        labels: [],
        ruleVersion: 1,
      },
    ])
    expect(await get(1)).toEqual(made)
    expect(await get('orders are sound')).toEqual(made)
    expect(await harness.call(operations.getPolicy, { params: { identifier: '1' } })).toMatchObject({
      id: 1,
      backingAssets: [{ tableAssetId: 11 }],
    })
  })

  it('takes the target by UID and by details', async () => {
    const byUid = await create({ name: 'a', backingAsset: { tableAssetUid: 'sales.orders.csv' } })
    const byDetails = await create({ name: 'b', backingAsset: null, details: { backingAssetId: 11 } })
    expect([byUid, byDetails].map(({ rule }) => rule.backingAsset.tableAssetId)).toEqual([11, 11])
  })

  it.each([
    [{ name: null }, [], /^rule\.name: is needed/],
    [{ backingAsset: null }, [], /^rule\.backingAsset: is needed/],
    [{ backingAsset: { tableAssetId: 12 } }, [], /^rule\.backingAsset\.tableAssetId: there is no table.*columns/],
    [{ backingAsset: { tableAssetUid: 'sales.orders.csv.note' } }, [], /tableAssetUid: .* is a column/],
    [{ backingAsset: { tableAssetUid: 'nope' } }, [], /^rule\.backingAsset\.tableAssetUid: there is no/],
    [{}, [missing, { ...missing, columnName: 'nope' }], /^items\[1\]\.columnName: the asset has no column 'nope'/],
    [{}, [{ ...missing, id: 5 }], /^items\[0\]\.id: the policy has no item/],
    [{}, [{ measurementType: 'AGGREGATES', aggregateType: 'SUM', columnName: 'id' }], /^items\[0\]\.value\.operator/],
    [
      {},
      [{ measurementType: 'RANGE_MATCH', columnName: 'amount', value: { min: 3, max: 2 } }],
      /^items\[0\]\.value\.min/,
    ],
    [{ type: 'EQUALITY' }, [], /^rule\.type/],
    [{ schedule: 'sometimes' }, [], /^rule\.schedule/],
    [{ schedule: '0 6 31 2 *' }, [], /^rule\.schedule.*never comes/],
    [{ timeZone: 'Mars/Base' }, [], /^rule\.timeZone/],
    [{ policyScoreStrategy: 'CUSTOM', scoreItems: ['x'] }, [missing], /^rule\.scoreItems: no item is named 'x'/],
    [
      { backingAsset: { tableAssetId: 11, marker: { type: 'IdMarkerConfig', columnName: 'x' } } },
      [],
      /^rule\.backingAsset\.marker\.columnName/,
    ],
  ])('refuses %j %j', async (rule, items, message) => {
    await expect(create(rule, items)).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringMatching(message),
    })
    expect((await list()).meta.count).toBe(0)
  })

  it('a schedule without cron is unprocessable', async () => {
    await expect(create({ scheduled: true })).rejects.toMatchObject({ code: 'unprocessable' })
    expect((await create({ scheduled: true, schedule: '0 6 * * *' })).rule).toMatchObject({
      scheduled: true,
      schedule: '0 6 * * *',
    })
  })

  it('refuses what the engine cannot prepare, by its field', async () => {
    harness.engine.prepare = async ({ metrics }) => ({
      columns: [],
      filterError: null,
      metricErrors: metrics
        .filter(({ kind }) => kind !== 'aggregate')
        .slice(-1)
        .map(({ id }) => ({ id, message: 'no good' })),
    })
    const regex = { measurementType: 'REGEX_MATCH', columnName: 'note', value: { pattern: '(' } }
    await expect(create({}, [regex])).rejects.toThrow('items[0].value.pattern: no good')
    await expect(create({}, [missing, { ...missing, filter: 'x >' }])).rejects.toThrow('items[1].filter: no good')
    await expect(create({}, [{ measurementType: 'CUSTOM', ruleExpression: 'x' }])).rejects.toThrow(
      'items[0].ruleExpression: no good',
    )
    await expect(
      create({}, [{ measurementType: 'SQL_METRIC', value: { sql: 'x', operator: 'EQ', value: 1 } }]),
    ).rejects.toThrow('items[0].value.sql: no good')
    harness.engine.prepare = async ({ metrics }) => ({
      columns: [],
      filterError: null,
      metricErrors: metrics.map(({ id }) => ({ id, message: 'no numbers' })),
    })
    const sum = { measurementType: 'AGGREGATES', columnName: 'note', value: { operator: 'GT', value: 1 } }
    await expect(create({}, [{ ...sum, aggregateType: 'SUM' }])).rejects.toThrow('items[0].columnName: no numbers')
    await expect(create({ name: 'counts' }, [{ ...sum, aggregateType: 'COUNT' }])).resolves.toBeDefined()
    harness.engine.prepare = async () => ({ columns: [], filterError: 'bad filter', metricErrors: [] })
    await expect(create({ filter: 'x' }, [])).rejects.toThrow('rule.filter: bad filter')
    harness.engine.prepare = async () => 'unreachable'
    await expect(create({}, [regex])).resolves.toBeDefined()
  })

  it('gives a name to one of many at once', async () => {
    const tries = await Promise.allSettled(Array.from({ length: 10 }, () => create()))
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const one of tries) if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'taken' })
    expect((await list()).meta.count).toBe(1)
  })

  it('keeps tenants apart', async () => {
    await create()
    await expect(create({}, [], 'other')).rejects.toThrow('rule.backingAsset.tableAssetId')
    await expect(harness.call(quality.get, { params: { identifier: 1 }, tenant: 'other' })).rejects.toMatchObject({
      code: 'not-found',
    })
  })
})

describe('changing', () => {
  it('merges the rule, and adds one version', async () => {
    await create({ description: 'first', filter: 'id > 1' })
    const changed = await update(1, {
      rule: { name: null, description: '', thresholdLevel: { success: 90, warning: 80 } },
    })
    expect(changed.rule).toMatchObject({
      version: 2,
      name: 'orders are sound',
      description: '',
      filter: 'id > 1',
      thresholdLevel: { success: 90, warning: 80 },
    })
    expect((await update(1, { rule: { filter: '' } })).rule).toMatchObject({ version: 3, filter: null })
  })

  it('adds no version when nothing changes: sent back as read, and as created', async () => {
    const made = await create({ labels: [{ key: 'a', value: 'b' }] })
    expect(await update(1, { rule: made.rule, items: made.details.items })).toEqual(made)
    expect(await update(1, { items: [missing] })).toEqual(made)
    expect(await update(1, {})).toEqual(made)
  })

  it('asks for the rule, if only an empty one', async () => {
    await create()
    const bare = (body: object) => harness.call(quality.update, { params: { id: 1 }, body })
    await expect(bare({ items: [missing] })).rejects.toThrow('rule')
    await expect(bare({})).rejects.toThrow('rule')
    expect((await bare({ rule: {} })).rule).toMatchObject({ version: 1 })
  })

  it('replaces the list of items; an item with its id keeps it', async () => {
    await create({}, [missing, { ...missing, columnName: 'id', name: 'second' }])
    const { details, rule } = await update(1, {
      items: [
        { ...missing, columnName: 'at' },
        { id: 2, ...missing, columnName: 'amount' },
      ],
    })
    expect(rule.version).toBe(2)
    expect(details.items).toMatchObject([
      { id: 3, columnName: 'at', ruleVersion: 2 },
      { id: 2, columnName: 'amount' },
    ])
    await expect(update(1, { items: [{ id: 1, ...missing }] })).rejects.toThrow(
      'items[0].id: the policy has no item with the id 1',
    )
    await expect(
      update(1, {
        items: [
          { id: 2, ...missing },
          { id: 2, ...missing },
        ],
      }),
    ).rejects.toThrow('items[1].id')
  })

  it('a resultThreshold is not held back by the echo of the old one', async () => {
    const { details } = await create()
    const changed = await update(1, { items: [{ ...details.items[0], resultThreshold: 95 }] })
    expect(changed.details.items).toMatchObject([{ id: 1, resultThreshold: 95, thresholdConfig: { success: 95 } }])
  })

  it('lets ten writers at once all have their say', async () => {
    await create()
    await Promise.all(
      Array.from({ length: 10 }, (_, index) => update(1, { rule: { labels: [{ key: 'n', value: `${index}` }] } })),
    )
    expect((await get(1)).rule.version).toBe(11)
  })

  it('a new name takes the new and frees the old', async () => {
    await create()
    await create({ name: 'other' })
    await expect(update(1, { rule: { name: 'other' } })).rejects.toMatchObject({ code: 'taken' })
    await update(1, { rule: { name: 'renamed' } })
    expect((await create()).rule.id).toBeGreaterThan(2)
    await expect(create({ name: 'renamed' })).rejects.toMatchObject({ code: 'taken' })
    expect(
      (
        await harness.call(quality.updateByName, {
          params: { name: 'renamed' },
          body: { rule: { description: 'x' } },
        })
      ).rule.description,
    ).toBe('x')
  })

  it('knows the 404s', async () => {
    await expect(update(9, {})).rejects.toMatchObject({ code: 'not-found' })
    for (const identifier of ['9', 'nope', '0', '-1'])
      await expect(get(identifier)).rejects.toMatchObject({ code: 'not-found' })
  })

  it('of a policy whose table is gone can still be disabled and described', async () => {
    await create()
    await harness.table(tableFixture({ revision: 1, isDeleted: true, columns: [] }))
    const { rule } = await update(1, { rule: { description: 'gone' } })
    expect(rule.version).toBe(2)
    expect((await update(1, { rule: { ...rule, enabled: false } })).rule).toMatchObject({ version: 3, enabled: false })
    await expect(create({ name: 'late' })).rejects.toThrow(/tableAssetId: .*is deleted/)
  })
})

describe('versions', () => {
  it('stay readable; one that never was is ignored', async () => {
    const first = await create()
    await update(1, { rule: { description: 'second' } })
    await update(1, { items: [] })
    expect(await get(1, { version: 1 })).toEqual(first)
    expect((await get(1, { version: 2 })).details.items).toHaveLength(1)
    const newest = await get(1)
    for (const version of [0, 4, 'x']) expect(await get(1, { version })).toEqual(newest)
  })

  it('onlyExecutedVersion is that of the last completed run', async () => {
    const first = await create()
    await update(1, { rule: { description: 'second' } })
    expect((await get(1, { onlyExecutedVersion: true })).rule.version).toBe(2)
    await harness.executed({ policyId: 1, version: 1, executionId: 5 })
    expect(await get(1, { onlyExecutedVersion: true })).toEqual(first)
    await harness.executed({ policyId: 1, version: 2, executionId: 4 })
    expect((await get(1, { onlyExecutedVersion: true })).rule.version).toBe(1)
    expect((await get(1, { onlyExecutedVersion: true, version: 2 })).rule.version).toBe(2)
  })
})

describe('enabling, archiving', () => {
  const enable = (id: number, enable: boolean) =>
    harness.call(operations.enablePolicy, { params: { id }, body: { enable } })
  const archive = (id: number, message?: string) =>
    harness.call(quality.archive, {
      params: { id },
      query: message === undefined ? {} : { message },
    })
  const unarchive = (id: number) => harness.call(quality.unarchive, { params: { id } })

  it('disabling and enabling each add a version, repeating them none', async () => {
    await create()
    expect((await enable(1, false)).rule).toMatchObject({ enabled: false, version: 2 })
    expect((await enable(1, false)).rule.version).toBe(2)
    expect((await enable(1, true)).rule).toMatchObject({ enabled: true, version: 3 })
    await expect(enable(2, true)).rejects.toMatchObject({ code: 'not-found' })
  })

  it('archiving frees the name and adds no version; unarchiving takes it again or cannot', async () => {
    await create()
    await archive(1, 'old')
    expect((await get(1)).rule).toMatchObject({ archived: true, archivalReason: 'old', version: 1 })
    await archive(1)
    await expect(update(1, { rule: { description: 'x' } })).rejects.toMatchObject({ code: 'unprocessable' })
    const second = await create()
    expect((await get('orders are sound')).rule.id).toBe(second.rule.id)
    await expect(unarchive(1)).rejects.toMatchObject({ code: 'taken' })
    await harness.call(quality.archiveByName, { params: { name: 'orders are sound' } })
    expect(await unarchive(1)).toEqual({ status: 'SUCCESS' })
    expect(await unarchive(1)).toEqual({ status: 'SUCCESS' })
    expect((await get('orders are sound')).rule).toMatchObject({
      id: 1,
      archived: false,
      archivalReason: null,
      version: 1,
    })
  })

  it('cannot be unarchived while its table is gone', async () => {
    await create()
    await archive(1)
    await harness.table(tableFixture({ revision: 1, isDeleted: true }))
    expect(await unarchive(1)).toEqual({ status: 'FAILED_ON_BACKING_ASSET' })
  })

  it('a deleted assembly disables the policies on it, a vanished table does not', async () => {
    await create()
    await harness.table(tableFixture({ revision: 1, isDeleted: true }))
    expect((await get(1)).rule.enabled).toBe(true)
    await harness.table(tableFixture({ revision: 2, isDeleted: true, assemblyDeleted: true }))
    expect((await get(1)).rule).toMatchObject({ enabled: false, version: 2, lastUpdatedBy: 'system' })
  })
})

describe('listing', () => {
  it('pages, sorts, filters', async () => {
    for (const name of ['b', 'a', 'Abc']) await create({ name })
    await harness.call(operations.enablePolicy, { params: { id: 2 }, body: { enable: false } })
    await harness.call(quality.archive, { params: { id: 3 } })
    const names = async (query: object) => (await list(query)).rules.map(({ rule }) => rule.name)
    expect(await names({})).toEqual(['a', 'b'])
    expect(await names({ sortBy: 'name:DESC' })).toEqual(['b', 'a'])
    expect(await names({ ruleStatus: 'all', sortBy: 'id:asc' })).toEqual(['b', 'a', 'Abc'])
    expect(await names({ ruleStatus: 'ACTIVE' })).toEqual(['b'])
    expect(await names({ ruleStatus: 'DISABLED,ARCHIVED', sortBy: 'id:asc' })).toEqual(['a', 'Abc'])
    expect(await names({ name: 'A', ruleStatus: 'ALL', sortBy: 'id:asc' })).toEqual(['a', 'Abc'])
    expect((await list({ size: 1, page: 1, sortBy: 'id:asc' })).meta).toEqual({ count: 2, page: 1, size: 1 })
    expect(await list({ size: 0 })).toEqual({ rules: [], meta: { count: 2, page: 0, size: 0 } })
  })
  it('shows items', async () => {
    await create()
    expect((await harness.call(quality.items, { params: { id: 1 } })).items).toMatchObject([{ id: 1 }])
  })
})

describe('configuration', () => {
  const read = () => harness.call(operations.getPolicyConfiguration, { params: { id: 1 } })
  const set = (body: object) => harness.call(operations.setPolicyConfiguration, { params: { id: 1 }, body })
  const template = 'x/{{REQUEST_ID}}/{{RECORD_TYPE}}'
  const custom = (bad: string) => ({
    categoriesPersistenceConfig: {
      type: 'CUSTOM',
      categoriesConfig: {
        good: { suffixTemplate: template },
        bad: { suffixTemplate: bad, format: 'CSV' },
        metadata: { suffixTemplate: template },
      },
    },
  })

  it('has defaults, merges, and adds a version', async () => {
    await create()
    expect(await read()).toEqual({
      id: 1,
      ruleId: 1,
      persistenceFolderPrefix: null,
      categoriesPersistenceConfig: { type: 'DEFAULT' },
      categoriesResultHandlingConfig: {
        good: { storeResult: false, sampleOnly: false },
        bad: { storeResult: true, sampleOnly: false },
      },
    })
    await set({ persistenceFolderPrefix: 'team-a' })
    const both = await set({
      categoriesResultHandlingConfig: { good: { storeResult: true }, bad: { storeResult: true } },
    })
    expect(both).toMatchObject({
      persistenceFolderPrefix: 'team-a',
      categoriesResultHandlingConfig: { good: { storeResult: true } },
    })
    expect(await set(custom(template))).toMatchObject({ categoriesPersistenceConfig: { type: 'CUSTOM' } })
    expect((await get(1)).rule.version).toBe(4)
    expect(await set(custom(template))).toEqual(await read())
    expect((await get(1)).rule.version).toBe(4)
  })

  it('refuses templates that could meet or leave the root', async () => {
    await create()
    await expect(set(custom('../{{REQUEST_ID}}'))).rejects.toThrow(
      /^categoriesPersistenceConfig\.categoriesConfig\.bad\.suffixTemplate: may hold/,
    )
    await expect(set(custom('x/{{REQUEST_ID}}'))).rejects.toThrow(/bad\.suffixTemplate: resolves to the path/)
    await expect(set({ persistenceFolderPrefix: '../x' })).rejects.toThrow(/^persistenceFolderPrefix/)
  })
})

describe('reading what was just written elsewhere', () => {
  it('waits for a table that the caller has seen', async () => {
    const late = '0000000000000000009'
    const body = { rule: { name: 'late', backingAsset: { tableAssetId: 21 } } }
    const creating = harness.call(quality.create, { body, seen: new Map([['catalog', [late]]]) })
    await harness.table(tableFixture({ assetId: 21, uid: 'late' }), 'default', late)
    expect((await creating).rule.backingAsset.tableAssetUid).toBe('late')
  })
})

describe('telling others', () => {
  it('publishes each event as a copy and as a public event, and confirms names from the log', async () => {
    await create()
    await update(1, { rule: { description: 'x' } })
    const told = await eventually(
      () => harness.bus.published.filter(({ topic }) => topic !== internalTopics.tables),
      (list) => list.length === 4,
    )
    const copies = told
      .filter(({ topic }) => topic === internalTopics.policies)
      .map(({ message }) => policyMessage.parse(message.data))
    expect(copies).toMatchObject([
      { revision: 0, policy: { rule: { id: 1, version: 1 } } },
      {
        revision: 1,
        policy: { rule: { version: 2 } },
        configuration: { good: { store: false }, bad: { store: true, format: 'PARQUET' }, prefix: null },
      },
    ])
    const [, event] = told.filter(({ topic }) => topic === publicTopics.policies)
    expect(event?.message.data).toMatchObject({
      type: 'io.assay.policy.PolicyDefinitionChanged',
      subject: '1',
      id: event?.message.id,
    })
    expect(await harness.service.problems()).toEqual([])
  })

  it('parks what cannot be read', async () => {
    await harness.bus.publish(internalTopics.tables, [
      { id: 'x', key: '1', type: 'x', tenant: 'default', time: '', position: '1', data: {} },
    ])
    expect(harness.bus.outcomes.at(-1)).toMatchObject({ kind: 'park' })
  })
})
