import { policyOperations as operations, permissions, policyKinds } from '@assay/contracts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Harness, openHarness, tableFixture } from '../testing/harness.ts'
import { missing, qualityPolicies } from '../testing/quality-policies.ts'

const quality = policyKinds.DATA_QUALITY

let harness: Harness
beforeEach(async () => {
  harness = await openHarness()
  await harness.table(tableFixture())
})
afterEach(() => harness.close())
const { create, get, list } = qualityPolicies(() => harness)

describe('creating', () => {
  it('returns the complete record with defaults, which can be read immediately', async () => {
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

  it('accepts the target by UID and in details', async () => {
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
    [{ schedule: '0 6 31 2 *' }, [], /^rule\.schedule.*never occurs/],
    [{ timeZone: 'Mars/Base' }, [], /^rule\.timeZone/],
    [{ policyScoreStrategy: 'CUSTOM', scoreItems: ['x'] }, [missing], /^rule\.scoreItems: no item is named 'x'/],
    [
      { backingAsset: { tableAssetId: 11, marker: { type: 'IdMarkerConfig', columnName: 'x' } } },
      [missing],
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

  it('refuses fields that the engine cannot prepare', async () => {
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
    await expect(create({ filter: 'x' })).rejects.toThrow('rule.filter: bad filter')
    harness.engine.prepare = async () => 'unreachable'
    await expect(create({}, [regex])).resolves.toBeDefined()
  })

  it('accepts references by id or by name, and stores both', async () => {
    await harness.table(tableFixture({ assetId: 21, uid: 'sales.codes.csv' }))
    await harness.template({ udfId: 5, name: 'positive' })
    const lookup = (value: object) => ({
      measurementType: 'VALUES_IN_LOOKUP',
      columnName: 'note',
      value: { lookupColumnName: 'note', ...value },
    })
    const udf = (value: object) => ({ measurementType: 'UDF_PREDICATE', value })
    const { details } = await create({}, [
      lookup({ lookupAssetUid: 'sales.codes.csv' }),
      lookup({ lookupAssetId: 21 }),
      udf({ udfName: 'positive' }),
      udf({ udfId: 5 }),
    ])
    const both = { lookupAssetId: 21, lookupAssetUid: 'sales.codes.csv' }
    expect(details.items.map(({ value }) => value)).toMatchObject([
      both,
      both,
      ...Array(2).fill({ udfId: 5, udfName: 'positive' }),
    ])
    await expect(create({ name: 'x' }, [lookup({ lookupAssetUid: 'nope' })])).rejects.toThrow(
      /^items\[0\]\.value\.lookupAssetUid: there is no table/,
    )
    await expect(create({ name: 'x' }, [lookup({ ...both, lookupAssetUid: 'nope' })])).rejects.toThrow(/is not the UID/)
    await expect(create({ name: 'x' }, [udf({ udfName: 'nope' })])).rejects.toThrow(/^items\[0\]\.value\.udfName/)
  })

  it('suggests the most similar name that the tenant has and the key may see', async () => {
    await harness.table(tableFixture({ assetId: 21, uid: 'sales.codes.csv' }))
    await harness.table(tableFixture({ assetId: 22, uid: 'sales.coded.csv', isDeleted: true }))
    await harness.template({ udfId: 5, name: 'positive' })
    const ask = (tableAssetUid: string, items: object[], as: object = {}) =>
      harness.call(quality.create, { body: { rule: { name: 'x', backingAsset: { tableAssetUid } }, items }, ...as })
    const value = { lookupColumnName: 'note', lookupAssetUid: 'sales.codse.csv' }
    const lookup = { measurementType: 'VALUES_IN_LOOKUP', columnName: 'note', value }
    const udf = { measurementType: 'UDF_PREDICATE', value: { udfName: 'positiv' } }
    const meant = "there is no table, view or file with the UID 'sales.codse.csv'; did you mean 'sales.codes.csv'?"
    await expect(ask('sales.codse.csv', [])).rejects.toThrow(`rule.backingAsset.tableAssetUid: ${meant}`)
    await expect(ask('sales.orders.csv', [lookup])).rejects.toThrow(`items[0].value.lookupAssetUid: ${meant}`)
    await expect(ask('sales.orders.csv', [udf])).rejects.toThrow("'positiv'; did you mean 'positive'?")
    const unseeing = permissions.filter((one) => one !== 'USER_DEFINED_FUNCTION_VIEW')
    await expect(ask('sales.orders.csv', [udf], { permissions: unseeing })).rejects.toThrow(/'positiv'$/)
    await expect(ask('sales.codse.csv', [], { tenant: 'other' })).rejects.toThrow(/^(?!.*did you mean)/)
  })

  it('gives a name to one of many concurrent requests', async () => {
    const tries = await Promise.allSettled(Array.from({ length: 10 }, () => create()))
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const one of tries) if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'taken' })
    expect((await list()).meta.count).toBe(1)
  })

  it('separates tenants', async () => {
    await create()
    await expect(create({}, [], 'other')).rejects.toThrow('rule.backingAsset.tableAssetId')
    await expect(harness.call(quality.get, { params: { identifier: 1 }, tenant: 'other' })).rejects.toMatchObject({
      code: 'not-found',
    })
  })
})

describe('reading a recent write of another service', () => {
  it('waits for a table that the caller has seen', async () => {
    const late = tableFixture({ assetId: 21, uid: 'late' })
    const body = { rule: { name: 'late', backingAsset: { tableAssetId: 21 } }, items: [missing] }
    const creating = harness.call(quality.create, { body, seen: new Map([['catalog', [`asset-21@${late.revision}`]]]) })
    await harness.table(late)
    expect((await creating).rule.backingAsset.tableAssetUid).toBe('late')
  })

  it('waits for a template that the caller has seen and names', async () => {
    const items = [{ measurementType: 'UDF_PREDICATE', value: { udfName: 'positive' } }]
    const body = { rule: { name: 'named', backingAsset: { tableAssetId: 11 } }, items }
    const creating = harness.call(quality.create, { body, seen: new Map([['catalog', ['udftemplate-5@0']]]) })
    await harness.template({ udfId: 5, name: 'positive' })
    expect((await creating).details.items).toMatchObject([{ value: { udfId: 5, udfName: 'positive' } }])
  })

  it('sends along to the execution service what the author has seen of the catalog', async () => {
    const seen = ['asset-11@0', 'tag-7@3']
    harness.engine.asked.length = 0
    const body = { rule: { name: 'sends', backingAsset: { tableAssetId: 11 }, filter: 'id > 1' }, items: [missing] }
    await harness.call(quality.create, { body, seen: new Map([['catalog', seen]]) })
    expect(harness.engine.asked.map((asked) => asked.seen)).toEqual([seen])
  })
})
