import {
  internalTopics,
  type Operation,
  type PolicyType,
  policyByAsset,
  policyKinds,
  policyMessage,
  policyOperations,
  policyTypes,
} from '@assay/contracts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type KindOperations, kinds } from './kinds.ts'
import { eventually, type Harness, openHarness, tableFixture } from './testing/harness.ts'

let harness: Harness
beforeEach(async () => {
  harness = await openHarness()
  await harness.table(tableFixture())
  await harness.table(
    tableFixture({
      assetId: 21,
      uid: 'sales.copy.csv',
      name: 'copy.csv',
      columns: [
        { id: 22, uid: 'sales.copy.csv.key', name: 'key', dataType: 'BIGINT' },
        { id: 23, uid: 'sales.copy.csv.total', name: 'total', dataType: 'DOUBLE' },
      ],
    }),
  )
})
afterEach(() => harness.close())

const one = { backingAsset: { tableAssetId: 11 } }
const two = { leftBackingAsset: { tableAssetId: 11 }, rightBackingAsset: { tableAssetUid: 'sales.copy.csv' } }
const join = { leftColumnName: 'id', rightColumnName: 'key', useForJoining: true }
const mean = { columnName: 'amount', metricType: 'MEAN', driftThreshold: 0.1 }
const freshness = { measurementType: 'DATA_FRESHNESS', columnName: 'at', value: { maxAge: 'PT36H' } }

/** A body that makes a policy of each type. */
const bodies: Record<PolicyType, { rule: object; items?: object[]; mappings?: object[] }> = {
  DATA_QUALITY: { rule: one, items: [{ measurementType: 'NULL_VALUES', columnName: 'note' }] },
  RECONCILIATION: { rule: two, items: [{ measurementType: 'EQUALITY' }], mappings: [join] },
  EQUALITY: { rule: two, items: [{ measurementType: 'ROW_COUNT_EQUALITY' }] },
  DATA_DRIFT: { rule: one, items: [mean] },
  SCHEMA_DRIFT: { rule: { ...one, severity: { added: 'IGNORE' } } },
  PROFILE_ANOMALY: { rule: { ...one, sensitivity: 'HIGH' }, items: [{ columns: ['amount'] }] },
  AUTO_ANOMALY: { rule: one },
  DATA_CADENCE: { rule: one, items: [{ measurementType: 'RECORD_COUNT_DRIFT' }] },
  DATA_FRESHNESS: { rule: one, items: [freshness] },
}
const operations: Record<PolicyType, KindOperations> = policyKinds
const create = (type: PolicyType, rule: object = {}, rest: object = {}, tenant = 'default') => {
  const body = bodies[type]
  const sent = { ...body, ...rest, rule: { name: `a ${type}`, ...body.rule, ...rule } }
  return harness.call(operations[type].create, { body: sent, tenant })
}
const idOf = async (type: PolicyType) => (await create(type)).rule.id
const call = <O extends Operation>(operation: O, params: object, body?: unknown, query: object = {}) =>
  harness.call(operation, { params, body, query })

describe.each(policyTypes)('%s', (type) => {
  const own = operations[type]

  it('is made, read by id and by name, listed, and told of', async () => {
    const made = await create(type)
    const { id, name } = made.rule
    expect(made.rule).toMatchObject({
      type,
      version: 1,
      enabled: true,
      archived: false,
      scheduled: false,
      timeZone: 'UTC',
      description: '',
      thresholdLevel: { type: 'ABSOLUTE', success: 100, warning: null, config: { direction: 'ABOVE' } },
    })
    expect(await call(own.get, type === 'SCHEMA_DRIFT' ? { id } : { identifier: name })).toEqual(made)
    expect(await call(own.getByName, { name })).toEqual(made)
    expect(await call(own.items, { id })).toEqual({ items: made.details.items })
    expect(await call(own.itemsByName, { name })).toEqual({ items: made.details.items })
    expect(await call(own.list, {})).toEqual({ rules: [made], meta: { count: 1, page: 0, size: 25 } })
    expect(await call(policyOperations.getPolicy, { identifier: name })).toMatchObject({ id, type, version: 1 })
    expect(await call(policyOperations.getPolicyConfigurationByName, { name })).toMatchObject({ ruleId: id })
    const messages = await eventually(
      () => harness.bus.published.filter(({ topic }) => topic === internalTopics.policies),
      (all) => all.length > 0,
    )
    expect(policyMessage.parse(messages[0]?.message.data).policy).toEqual(made)
  })

  it('is sent back as it was read without a new version; then changed by id and by name', async () => {
    const made = await create(type)
    const { id, name } = made.rule
    const lists = 'columnMappings' in made.details ? { mappings: made.details.columnMappings } : {}
    expect(await call(own.update, { id }, { rule: made.rule, items: made.details.items, ...lists })).toEqual(made)
    const changed = await call(own.update, { id }, { rule: { description: 'new' } })
    expect(changed.rule).toMatchObject({ version: 2, description: 'new' })
    expect(changed.details.items).toMatchObject(
      made.details.items.map(({ id: item }) => ({ id: item, ruleVersion: 2 })),
    )
    const again = await call(own.updateByName, { name }, { rule: { thresholdLevel: { success: 90, warning: 80 } } })
    expect(again.rule).toMatchObject({ version: 3, thresholdLevel: { success: 90, warning: 80 } })
    expect(await call(own.getByName, { name }, undefined, { version: 1 })).toEqual(made)
    await harness.executed({ policyId: id, version: 2, executionId: 1 })
    expect(await call(own.getByName, { name }, undefined, { onlyExecutedVersion: true })).toEqual(changed)
    expect(await call(own.getByName, { name }, undefined, { version: 99 })).toEqual(again)
  })

  it('is archived and brought back, by id and by name, without a new version', async () => {
    const { id, name } = (await create(type)).rule
    await call(own.archive, { id }, undefined, { message: 'old' })
    expect((await call(own.getByName, { name })).rule).toMatchObject({ archived: true, archivalReason: 'old' })
    expect((await call(own.list, {})).meta.count).toBe(0)
    expect(await call(own.unarchive, { id })).toEqual({ status: 'SUCCESS' })
    await call(own.archiveByName, { name })
    expect((await call(own.list, {}, undefined, { ruleStatus: 'archived' })).meta.count).toBe(1)
    expect(await call(own.unarchiveByName, { name })).toEqual({ status: 'SUCCESS' })
    expect((await call(own.getByName, { name })).rule).toMatchObject({ archived: false, version: 1 })
    expect(await call(policyOperations.enablePolicy, { id }, { enable: false })).toMatchObject({
      rule: { type, enabled: false, version: 2 },
    })
  })

  it('is nothing to the other kinds, nor to another tenant', async () => {
    const { id, name } = (await create(type)).rule
    for (const { type: other, operations: theirs, wrong } of kinds) {
      if (other === type) continue
      const read = other === 'SCHEMA_DRIFT' ? { id } : { identifier: id }
      await expect(call(theirs.get, read)).rejects.toMatchObject({ code: wrong.get ?? 'not-found' })
      await expect(call(theirs.getByName, { name })).rejects.toMatchObject({ code: 'not-found' })
      await expect(call(theirs.update, { id }, { rule: {} })).rejects.toMatchObject({
        code: wrong.update ?? 'not-found',
      })
      await expect(call(theirs.archive, { id })).rejects.toMatchObject({ code: 'not-found' })
      await expect(call(theirs.items, { id })).rejects.toMatchObject({ code: 'not-found' })
      await expect(call(theirs.schedule, { id }, { scheduled: true })).rejects.toMatchObject({ code: 'unprocessable' })
      expect((await call(theirs.list, {})).meta.count).toBe(0)
    }
    const elsewhere = { params: { name }, tenant: 'other' }
    await expect(harness.call(own.getByName, elsewhere)).rejects.toMatchObject({ code: 'not-found' })
    await expect(create(type, {}, {}, 'other')).rejects.toMatchObject({ code: 'invalid' })
  })

  it('has a name that no other policy has, and that cannot be taken twice at once', async () => {
    const tries = await Promise.allSettled(Array.from({ length: 5 }, () => create(type)))
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const other = type === 'DATA_QUALITY' ? 'SCHEMA_DRIFT' : 'DATA_QUALITY'
    await expect(create(other, { name: `a ${type}` })).rejects.toMatchObject({ code: 'taken' })
  })
})

describe('schedules', () => {
  const set = (id: number, body: object) => call(policyOperations.setPolicySchedule, { id }, body)
  const guide: Record<PolicyType, string | undefined> = {
    DATA_QUALITY: undefined,
    RECONCILIATION: undefined,
    EQUALITY: undefined,
    DATA_DRIFT: 'not-implemented',
    SCHEMA_DRIFT: 'not-implemented',
    PROFILE_ANOMALY: 'not-implemented',
    AUTO_ANOMALY: undefined,
    DATA_CADENCE: undefined,
    DATA_FRESHNESS: undefined,
  }
  const byInterface = (type: PolicyType) => (type === 'DATA_FRESHNESS' ? 'unprocessable' : undefined)

  it.each(
    policyTypes.flatMap((type) => [
      [type, 'guide', guide[type]] as const,
      [type, 'interface', byInterface(type)] as const,
    ]),
  )('%s by the contract %s: %s', async (type, contract, refused) => {
    await harness.close()
    harness = await openHarness({ scheduleContract: contract })
    await harness.table(tableFixture())
    await harness.table(
      tableFixture({
        assetId: 21,
        uid: 'sales.copy.csv',
        columns: [{ id: 22, uid: 'u', name: 'key', dataType: 'BIGINT' }],
      }),
    )
    const made = await create(type)
    const { id, name } = made.rule
    const cron = { cronExpression: '0 6 * * *', timeZone: 'Europe/Berlin' }
    if (refused !== undefined) {
      await expect(set(id, cron)).rejects.toMatchObject({ code: refused })
      await expect(call(operations[type].schedule, { id }, { scheduled: true })).rejects.toMatchObject({
        code: refused,
      })
      const rule = { scheduled: true, schedule: '0 6 * * *' }
      await expect(call(operations[type].update, { id }, { rule })).rejects.toMatchObject({ code: refused })
      await expect(create(type, { ...rule, name: 'other' })).rejects.toMatchObject({ code: refused })
      expect(await call(operations[type].getByName, { name })).toEqual(made)
      return
    }
    const answer = { policyId: id, policyType: type, ...cron }
    expect(await set(id, cron)).toEqual({ ...answer, scheduled: false, version: 2 })
    expect(await set(id, { scheduled: true, cronExpression: null })).toEqual({ ...answer, scheduled: true, version: 3 })
    expect(await set(id, { scheduled: true })).toEqual({ ...answer, scheduled: true, version: 4 })
    const off = await call(operations[type].scheduleByName, { name }, { scheduled: false })
    expect(off.rule).toMatchObject({ scheduled: false, schedule: '0 6 * * *', timeZone: 'Europe/Berlin', version: 5 })
    expect((await call(operations[type].schedule, { id }, { scheduled: true })).rule).toMatchObject({ version: 6 })
    expect((await call(operations[type].getByName, { name })).rule).toMatchObject({ version: 6, scheduled: true })
  })

  it('refuses what cannot be, and changes nothing by it', async () => {
    const id = await idOf('DATA_QUALITY')
    await expect(set(id, {})).rejects.toMatchObject({ code: 'invalid' })
    await expect(set(id, { scheduled: null })).rejects.toMatchObject({ code: 'invalid' })
    await expect(set(id, { cronExpression: 'soon' })).rejects.toThrow(/^cronExpression: /)
    await expect(set(id, { cronExpression: '0 6 31 2 *' })).rejects.toThrow(/^cronExpression: .*never/)
    await expect(set(id, { timeZone: 'Mars/Base' })).rejects.toThrow(/^timeZone: /)
    await expect(set(id, { scheduled: true })).rejects.toMatchObject({ code: 'unprocessable' })
    await expect(set(99, { scheduled: false })).rejects.toMatchObject({ code: 'not-found' })
    await expect(call(policyKinds.DATA_QUALITY.schedule, { id }, { timeZone: 'UTC' })).rejects.toThrow(/^scheduled: /)
    expect(await call(policyOperations.getPolicy, { identifier: id })).toMatchObject({ version: 1, scheduled: false })
    await call(policyKinds.DATA_QUALITY.archive, { id })
    await expect(set(id, { scheduled: false })).rejects.toMatchObject({ code: 'unprocessable' })
  })

  it('adds exactly one version for each of many calls at once', async () => {
    const id = await idOf('RECONCILIATION')
    const answers = await Promise.all(Array.from({ length: 10 }, () => set(id, { cronExpression: '0 6 * * *' })))
    expect(answers.map(({ version }) => version).sort((a, b) => a - b)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
  })
})

describe('definitions that cannot work are refused with their field', () => {
  it.each<[PolicyType, object, object, RegExp]>([
    ['RECONCILIATION', { rightBackingAsset: null }, {}, /^rule\.rightBackingAsset: is needed/],
    ['RECONCILIATION', { leftBackingAsset: { tableAssetId: 99 } }, {}, /^rule\.leftBackingAsset\.tableAssetId: /],
    [
      'RECONCILIATION',
      {},
      { mappings: [{ ...join, leftColumnName: 'x' }] },
      /^mappings\[0\]\.leftColumnName: the left/,
    ],
    ['RECONCILIATION', {}, { mappings: [join, { ...join, rightColumnName: 'id' }] }, /^mappings\[1\]\.rightColumnName/],
    [
      'RECONCILIATION',
      {},
      { mappings: [{ ...join, useForJoining: null }] },
      /^items\[0\]\.measurementType: EQUALITY needs/,
    ],
    ['EQUALITY', {}, { items: [{ measurementType: 'COUNT' }, { measurementType: 'HASHED_EQUALITY' }] }, /^items\[1\]/],
    ['DATA_DRIFT', {}, { items: [] }, /^items: is needed/],
    ['DATA_DRIFT', {}, { items: null }, /^items: is needed/],
    ['DATA_DRIFT', {}, { items: [mean, { ...mean, columnName: 'x' }] }, /^items\[1\]\.columnName: /],
    ['DATA_DRIFT', {}, { items: [{ ...mean, columnName: 'note' }] }, /^items\[0\]\.metricType: MEAN needs/],
    ['DATA_DRIFT', {}, { items: [{ ...mean, metricType: 'LENGTH' }] }, /^items\[0\]\.metricType: LENGTH needs/],
    [
      'DATA_DRIFT',
      {},
      { items: [{ ...mean, columnName: 'note', metricType: 'COMPLETENESS', measure: 'KS' }] },
      /^items\[0\]\.measure: KS needs/,
    ],
    ['DATA_DRIFT', { baseline: { type: 'REFERENCE', referenceAssetId: 99 } }, {}, /^rule\.baseline\.referenceAssetId/],
    ['SCHEMA_DRIFT', {}, { items: [{ assetId: 12 }] }, /^items\[0\]\.assetId/],
    ['PROFILE_ANOMALY', {}, { items: [{ monitorColumns: ['id', 'x'] }] }, /^items\[0\]\.monitorColumns\[1\]/],
    [
      'DATA_CADENCE',
      {},
      { items: [{ measurementType: 'DATA_FRESHNESS' }] },
      /^items\[0\]\.measurementType: .*FRESHNESS/,
    ],
    [
      'DATA_FRESHNESS',
      {},
      { items: [freshness, { measurementType: 'FILE_COUNT_TOTAL' }] },
      /^items\[1\]\.measurementType/,
    ],
    ['DATA_FRESHNESS', {}, { items: [{ ...freshness, value: { maxAge: 'a day' } }] }, /^items\[0\]\.value\.maxAge/],
    ['DATA_FRESHNESS', {}, { items: [{ ...freshness, columnName: 'note' }] }, /^items\[0\]\.columnName: .*not a date/],
    [
      'AUTO_ANOMALY',
      { thresholdLevel: { type: 'ABSOLUTE', config: { direction: 'BELOW', success: 5, warning: 3 } } },
      {},
      /^rule\.thresholdLevel\.config\.warning/,
    ],
    [
      'DATA_CADENCE',
      {},
      {
        items: [
          {
            measurementType: 'RECORD_COUNT_TOTAL',
            thresholdConfig: { type: 'ABSOLUTE', config: { direction: 'RANGE', lowerSuccess: 9, upperSuccess: 3 } },
          },
        ],
      },
      /^items\[0\]\.thresholdConfig\.config\.lowerSuccess/,
    ],
  ])('%s %j %j', async (type, rule, rest, message) => {
    await expect(create(type, rule, rest)).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringMatching(message),
    })
    expect((await call(operations[type].list, {})).meta.count).toBe(0)
  })

  it.each<[PolicyType, object, object]>([
    ['DATA_DRIFT', { baseline: { type: 'EXECUTION' } }, {}],
    ['DATA_DRIFT', {}, { items: [{ ...mean, metricType: 'MEDIAN' }] }],
    ['DATA_DRIFT', {}, { items: [{ ...mean, measure: 'XY' }] }],
    ['DATA_DRIFT', {}, { items: [{ ...mean, driftThreshold: '0.1' }] }],
    ['SCHEMA_DRIFT', { severity: { added: 'FATAL' } }, {}],
    ['PROFILE_ANOMALY', { anomalyStrengthThreshold: 'ENORMOUS' }, {}],
    ['DATA_QUALITY', {}, { items: [{ measurementType: 'RECORD_COUNT_TOTAL' }] }],
    ['RECONCILIATION', { joinType: 'SIDEWAYS' }, {}],
  ])('%s %j %j by its shape', async (type, rule, rest) => {
    await expect(create(type, rule, rest)).rejects.toThrow(z.ZodError)
  })

  it('filters of both sides are prepared on their own source', async () => {
    harness.engine.prepare = async ({ filter }) => ({
      columns: [],
      filterError: filter?.sql === 'bad' ? 'no such column' : null,
      metricErrors: [],
    })
    await expect(create('EQUALITY', { leftFilter: 'bad' })).rejects.toThrow('rule.leftFilter: no such column')
    await expect(create('EQUALITY', { rightFilter: 'bad' })).rejects.toThrow('rule.rightFilter: no such column')
    await expect(create('AUTO_ANOMALY', { filter: 'bad' })).rejects.toThrow('rule.filter: no such column')
    const made = await create('EQUALITY', { leftFilter: 'id > 1', rightFilter: 'key > 1' })
    expect(made.rule).toMatchObject({ leftFilter: 'id > 1', rightFilter: 'key > 1' })
    expect(await call(policyOperations.getPolicy, { identifier: made.rule.id })).toMatchObject({
      filter: 'id > 1',
      rightFilter: 'key > 1',
      backingAssets: [{ tableAssetId: 11 }, { tableAssetId: 21 }],
    })
  })
})

describe('what one kind has of its own', () => {
  it('keeps mappings and items by their ids', async () => {
    const { rule, details } = await harness.call(policyKinds.RECONCILIATION.create, {
      body: { rule: { name: 'r', ...two }, items: [{ measurementType: 'COUNT' }], mappings: [join] },
    })
    expect(details.columnMappings).toMatchObject([
      { id: 1, reconciliationRuleId: rule.id, operation: 'EQ', mappingType: 'MANUAL', labels: [], ruleVersion: 1 },
    ])
    expect(rule).toMatchObject({ leftBackingAsset: { id: 1 }, rightBackingAsset: { id: 2 }, timeSecondsOffset: 0 })
    const added = {
      leftColumnName: 'amount',
      rightColumnName: 'total',
      tolerance: { relative: 0.01 },
      operation: 'GTE',
    }
    const changed = await harness.call(policyKinds.RECONCILIATION.update, {
      params: { id: rule.id },
      body: { mappings: [added, { id: 1, ...join }] },
    })
    expect(changed.details.columnMappings).toMatchObject([
      { id: 2, operation: 'GTE', tolerance: { relative: 0.01, absolute: null, trim: false } },
      { id: 1 },
    ])
    expect(changed.details.items).toMatchObject([{ id: 1, measurementType: 'COUNT', version: 2 }])
    const moved = { leftBackingAsset: { tableAssetId: 21 } }
    await expect(
      harness.call(policyKinds.RECONCILIATION.update, { params: { id: rule.id }, body: { rule: moved } }),
    ).rejects.toThrow("mappings[0].leftColumnName: the left asset has no column 'amount'")
  })

  it('merges severities, baselines and strengths', async () => {
    const schema = await harness.call(policyKinds.SCHEMA_DRIFT.create, {
      body: { rule: { name: 's', ...one, severity: { added: 'ERROR' } }, items: [{}] },
    })
    expect(schema.rule.severity).toMatchObject({ added: 'ERROR', removed: 'ERROR', order: 'IGNORE' })
    expect(schema.details.items).toMatchObject([{ assetId: 11, schemaDriftRuleConfig: null }])
    const sent = { rule: { severity: { order: 'WARNING' } } }
    const merged = await harness.call(policyKinds.SCHEMA_DRIFT.update, { params: { id: schema.rule.id }, body: sent })
    expect(merged.rule.severity).toMatchObject({ added: 'ERROR', order: 'WARNING' })
    const drift = await harness.call(policyKinds.DATA_DRIFT.create, {
      body: {
        rule: { name: 'd', ...one, baseline: { type: 'WINDOW', window: 5 } },
        items: [{ ...mean, measure: 'KS' }],
      },
    })
    expect(drift.rule).toMatchObject({ interval: '1d', baseline: { type: 'WINDOW', window: 5, windowType: 'DAYS' } })
    expect(drift.details.items).toMatchObject([{ name: 'MEAN amount', measure: 'KS', weightage: 1 }])
    const anomaly = await harness.call(policyKinds.AUTO_ANOMALY.create, { body: { rule: { name: 'a', ...one } } })
    expect(anomaly).toMatchObject({ rule: { anomalyStrengthThreshold: 'MEDIUM' }, details: { items: [], assetId: 11 } })
    const louder = { rule: { sensitivity: 'HIGH' } }
    const changed = await harness.call(policyKinds.AUTO_ANOMALY.update, {
      params: { id: anomaly.rule.id },
      body: louder,
    })
    expect(changed.rule.anomalyStrengthThreshold).toBe('HIGH')
  })

  it('thresholds of all four types are kept as they are', async () => {
    const thresholds = [
      { type: 'ABSOLUTE', config: { direction: 'RANGE', lowerSuccess: 1, upperSuccess: 9 } },
      { type: 'ANOMALY', config: { successSensitivityLevel: 'HIGH', warningSensitivityLevel: null } },
      {
        type: 'RELATIVE',
        config: { direction: 'CHANGES_BY', operator: 'NEQ', unit: 'PERCENTAGE', isDirectional: false, success: 5 },
        operationalConfig: { lookBack: { window: 3, windowType: 'RUNS' } },
      },
      { type: 'TIME_BASED', config: { lookBackWindowType: 'DAYS', successLookBackWindow: 7 } },
    ]
    const items = thresholds.map((thresholdConfig) => ({ measurementType: 'RECORD_COUNT_TOTAL', thresholdConfig }))
    const made = await harness.call(policyKinds.DATA_CADENCE.create, { body: { rule: { name: 'c', ...one }, items } })
    expect(made.details.items.map((item) => item.thresholdConfig?.type)).toEqual(thresholds.map(({ type }) => type))
    expect(made.details.items[2]?.thresholdConfig).toMatchObject({ success: 5, warning: null, ...thresholds[2] })
  })

  it.each(['PROFILE_ANOMALY', 'AUTO_ANOMALY', 'DATA_CADENCE', 'DATA_FRESHNESS'] as const)(
    '%s is found by its asset: the first in use',
    async (type) => {
      const read = (identifier: number) => harness.call(policyByAsset[type], { params: { identifier } })
      await expect(read(11)).rejects.toMatchObject({ code: 'not-found' })
      const first = await create(type)
      const second = await create(type, { name: 'second' })
      expect(await read(11)).toEqual(first)
      await call(operations[type].archive, { id: first.rule.id })
      expect(await read(11)).toEqual(second)
      await expect(read(21)).rejects.toMatchObject({ code: 'not-found' })
    },
  )

  it('is disabled when the assembly of either side is deleted', async () => {
    const left = await create('EQUALITY')
    await harness.table(
      tableFixture({ revision: 1, assetId: 21, uid: 'sales.copy.csv', isDeleted: true, assemblyDeleted: true }),
    )
    const { id } = left.rule
    await eventually(
      () => call(policyOperations.getPolicy, { identifier: id }),
      ({ enabled }) => !enabled,
    )
    await expect(call(policyOperations.enablePolicy, { id }, { enable: true })).rejects.toMatchObject({
      code: 'unprocessable',
    })
    await call(policyKinds.EQUALITY.archive, { id })
    expect(await call(policyKinds.EQUALITY.unarchive, { id })).toEqual({ status: 'FAILED_ON_BACKING_ASSET' })
  })
})
