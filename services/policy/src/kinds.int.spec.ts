import {
  internalTopics,
  policyByAsset,
  policyKinds,
  policyMessage,
  policyOperations,
  policyTypes,
} from '@assay/contracts'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { kinds } from './kinds.ts'
import { copyFixture, everyKind, join, mean, one, operations, two } from './testing/every-kind.ts'
import { eventually, type Harness, openHarness, tableFixture } from './testing/harness.ts'

let harness: Harness
beforeEach(async () => {
  harness = await openHarness()
  await harness.table(tableFixture())
  await harness.table(copyFixture())
})
afterEach(() => harness.close())
const { create, call } = everyKind(() => harness)

/** Fields that existing clients send. */
const nulls = { id: null, description: null, tags: null, policyGroups: null, engineType: null, thresholdLevel: null }
const foreign = { notReadByAnyone: { at: [1] }, schedule: null, labels: null, segments: null, jobSchedule: null }

describe.each(policyTypes)('%s', (type) => {
  const own = operations[type]

  it('is created, read by id and by name, listed, and published', async () => {
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
    expect(await call(own.get, type === 'SCHEMA_DRIFT' ? { id: name } : { identifier: name })).toEqual(made)
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

  it('accepts nulls and foreign fields, adds no version if a request repeats the policy as read, and can be changed', async () => {
    const made = await create(type, { ...nulls, ...foreign }, { transformUDFs: null, cloningDetails: null })
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

  it('is archived and unarchived, by id and by name, without a new version', async () => {
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

  it('is not found by the routes of other kinds, and by other tenants', async () => {
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

  it('has a unique name, also under concurrent requests', async () => {
    const tries = await Promise.allSettled(Array.from({ length: 5 }, () => create(type)))
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const other = type === 'DATA_QUALITY' ? 'SCHEMA_DRIFT' : 'DATA_QUALITY'
    await expect(create(other, { name: `a ${type}` })).rejects.toMatchObject({ code: 'taken' })
  })
})

describe('fields of single kinds', () => {
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
      isWarning: true,
    }
    const changed = await harness.call(policyKinds.RECONCILIATION.update, {
      params: { id: rule.id },
      body: { mappings: [added, { id: 1, ...join }] },
    })
    expect(changed.details.columnMappings).toMatchObject([
      { id: 2, isWarning: true, tolerance: { relative: 0.01, absolute: null, trim: false } },
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
    expect(drift.details.items).toMatchObject([{ name: 'KS amount', measure: 'KS', weightage: 1 }])
    const learned = {
      rule: { baseline: { type: 'REFERENCE', referenceAssetId: 11 } },
      items: [{ columnName: 'amount', measure: 'JS' }],
    }
    const compared = await harness.call(policyKinds.DATA_DRIFT.update, { params: { id: drift.rule.id }, body: learned })
    expect(compared.rule.baseline).toEqual({
      ...{ type: 'REFERENCE', referenceAssetId: 11 },
      referenceAssetUid: compared.rule.backingAsset.tableAssetUid,
    })
    expect(compared.details.items).toMatchObject([
      { measure: 'JS', driftThreshold: 10, thresholdConfig: { type: 'ANOMALY' } },
    ])
    const anomaly = await harness.call(policyKinds.AUTO_ANOMALY.create, { body: { rule: { name: 'a', ...one } } })
    expect(anomaly).toMatchObject({ rule: { anomalyStrengthThreshold: 'MEDIUM' }, details: { items: [], assetId: 11 } })
    const louder = { rule: { sensitivity: 'HIGH' } }
    const changed = await harness.call(policyKinds.AUTO_ANOMALY.update, {
      params: { id: anomaly.rule.id },
      body: louder,
    })
    expect(changed.rule.anomalyStrengthThreshold).toBe('HIGH')
  })

  it('thresholds of all four types are stored unchanged', async () => {
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

  it('a threshold that learns usual values keeps its direction; the drift of data has none', async () => {
    const of = (direction: string) => ({
      type: 'ANOMALY',
      config: { successSensitivityLevel: 'HIGH', direction },
    })
    const items = ['INCREASED_BY', 'DECREASED_BY', 'CHANGES_BY'].map((direction) => ({
      ...{ metrics: ['ROW_COUNT'], thresholdConfig: of(direction) },
    }))
    const rule = { name: 'rows only fall', ...one }
    const made = await harness.call(policyKinds.PROFILE_ANOMALY.create, { body: { rule, items } })
    expect(made.details.items.map(({ thresholdConfig }) => thresholdConfig)).toMatchObject(
      items.map(({ thresholdConfig }) => thresholdConfig),
    )
    const drift = { columnName: 'amount', measure: 'JS', thresholdConfig: of('INCREASED_BY') }
    const body = { rule: { name: 'drift', ...one }, items: [drift] }
    await expect(harness.call(policyKinds.DATA_DRIFT.create, { body })).rejects.toThrow(
      /^items\[0\]\.thresholdConfig\.config\.direction: /,
    )
  })

  it.each(['PROFILE_ANOMALY', 'AUTO_ANOMALY', 'DATA_CADENCE', 'DATA_FRESHNESS'] as const)(
    '%s is found by its asset; of several, the first that is not archived',
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
      tableFixture({ revision: 1, assetId: 21, uid: 'sales.copy.csv', isDeleted: true, deletedWith: 'assembly' }),
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

  it.each(['left', 'right'])(
    'is disabled when a crawl no longer finds the %s side, until it is enabled after the table has returned',
    async (side) => {
      const { id } = (await create('RECONCILIATION')).rule
      const single = await create('DATA_QUALITY')
      const enabled = async (of = id) => (await call(policyOperations.getPolicy, { identifier: of })).enabled
      const enable = () => call(policyOperations.enablePolicy, { id }, { enable: true })
      const side21 = { assetId: 21, uid: 'sales.copy.csv' }
      const table = (changes: object) => harness.table(tableFixture({ ...(side === 'left' ? {} : side21), ...changes }))
      const deletedAt = new Date(harness.deps.clock.now()).toISOString()
      const deletion = { revision: 1, isDeleted: true, deletedAt }
      await table(deletion)
      await eventually(enabled, (is) => !is)
      await expect(enable()).rejects.toMatchObject({ code: 'unprocessable' })
      const byChange = call(policyKinds.RECONCILIATION.update, { id }, { rule: { enabled: true } })
      await expect(byChange).rejects.toMatchObject({ code: 'unprocessable' })
      expect(await enabled(single.rule.id)).toBe(true)
      await table({ revision: 2 })
      expect(await enabled()).toBe(false)
      await vi.waitFor(() => expect(harness.deps.clock.now()).toBeGreaterThan(Date.parse(deletedAt)))
      await enable()
      // The message of the deletion is delivered again.
      await table(deletion)
      await table({ revision: 3 })
      expect(await enabled()).toBe(true)
    },
  )
})
