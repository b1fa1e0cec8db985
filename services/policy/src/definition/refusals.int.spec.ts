import { type PolicyType, permissions, policyOperations, policyTypes } from '@assay/contracts'
import { kindOf } from '@assay/reliability'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { copyFixture, everyKind, freshness, join, mean, operations, two } from '../testing/every-kind.ts'
import { type Harness, openHarness, tableFixture } from '../testing/harness.ts'

let harness: Harness
beforeEach(async () => {
  harness = await openHarness()
  await harness.table(tableFixture())
  await harness.table(copyFixture())
})
afterEach(() => harness.close())
const { create, call } = everyKind(() => harness)

const total = { leftColumnName: 'amount', rightColumnName: 'total' }

describe('definitions that depend on protected columns', () => {
  const without = permissions.filter((one) => one !== 'ASSET_PROTECTED_VIEW')
  const item = { name: 'i', measurementType: 'MISSING_VALUES', columnName: 'note' }
  const body = (rule: object, items: object[] = [item]) => ({
    rule: { name: 'guarded', backingAsset: { tableAssetId: 11 }, ...rule },
    items,
  })

  it.each([
    ['rule.filter', { filter: true, marker: false, items: [] }],
    ['rule.backingAsset.marker', { filter: false, marker: true, items: [] }],
    ['items[1]', { filter: false, marker: false, items: [2] }],
  ])(
    'given %s depends on protected columns, then a key without the permission may not write it',
    async (field, protectedParts) => {
      harness.engine.prepare = async () => ({ columns: [], filterError: null, metricErrors: [], protectedParts })
      const request = { body: body({ filter: 'id > 1' }, [item, { ...item, name: 'j' }]) }
      const refused = { code: 'forbidden', details: { field } }
      await expect(
        harness.call(operations.DATA_QUALITY.create, { ...request, permissions: without }),
      ).rejects.toMatchObject(refused)
      const { rule } = await harness.call(operations.DATA_QUALITY.create, request)
      // Others may change the independent parts.
      const params = { id: rule.id }
      const renamed = { params, body: body({ name: 'renamed' }), permissions: without }
      await harness.call(operations.DATA_QUALITY.update, { ...renamed, body: { rule: { name: 'renamed' } } })
      await expect(
        harness.call(operations.DATA_QUALITY.update, {
          params,
          permissions: without,
          body: body({ filter: 'id > 2', backingAsset: { marker: { type: 'FileEventMarkerConfig' } } }, [
            item,
            { ...item, name: 'k' },
          ]),
        }),
      ).rejects.toMatchObject(refused)
    },
  )

  it('given a comparison of a protected column, then a key without the permission may not write it', async () => {
    const asked: unknown[] = []
    harness.engine.prepare = async ({ guarded }) => {
      if (guarded !== undefined) asked.push(guarded.items.map(({ columnName }) => columnName))
      const protectedParts = { filter: false, marker: false, items: asked.length === 2 ? [2] : [] }
      return { columns: [], filterError: null, metricErrors: [], protectedParts }
    }
    const compared = { mappings: [join, total], items: [{ measurementType: 'COUNT' }] }
    const sent = { body: { rule: { name: 'compared', ...two }, ...compared }, permissions: without }
    await expect(harness.call(operations.RECONCILIATION.create, sent)).rejects.toMatchObject({
      ...{ code: 'forbidden', details: { field: 'mappings[1]' } },
    })
    expect(asked).toEqual([
      ['id', 'amount'],
      ['key', 'total'],
    ])
  })

  it.each([
    ['its other table', { rightBackingAsset: { tableAssetId: 31 } }],
    ['the filter of its other side', { rightFilter: 'total > 1' }],
    ['the marker of its other side', { rightBackingAsset: { marker: { type: 'FileEventMarkerConfig' } } }],
    ['its timeSecondsOffset', { timeSecondsOffset: 60 }],
  ])(
    'given a comparison of a protected column, then a key without the permission may not change %s',
    async (_what, rule) => {
      // The left table is protected.
      harness.engine.prepare = async ({ guarded, assetId }) => {
        const columns = assetId === 11 ? (guarded?.items ?? []) : []
        const items = columns.filter(({ columnName }) => columnName === 'amount').map(({ id }) => id)
        const protectedParts = { filter: false, marker: false, items }
        return { columns: [], filterError: null, metricErrors: [], protectedParts }
      }
      const { assetId: _, ...guesses } = copyFixture()
      await harness.table({ ...guesses, assetId: 31, uid: 'sales.guesses.csv', name: 'guesses.csv' })
      const body = { rule: { name: 'compared', ...two }, mappings: [join, total] }
      const made = await harness.call(operations.RECONCILIATION.create, { body })
      const change = (changes: object) =>
        harness.call(operations.RECONCILIATION.update, {
          ...{ params: { id: made.rule.id }, body: { rule: changes }, permissions: without },
        })
      await change({ description: 'as before', joinType: 'LEFT' })
      const refused = { code: 'forbidden', details: { field: 'mappings[1]' } }
      await expect(change(rule)).rejects.toMatchObject(refused)
    },
  )

  it('given an unavailable read model, then 503', async () => {
    harness.engine.prepare = async () => 'unreachable'
    const request = { body: body({}), permissions: without }
    await expect(harness.call(operations.DATA_QUALITY.create, request)).rejects.toMatchObject({
      code: 'unavailable',
    })
  })
})

describe('definitions that cannot work are refused by field', () => {
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
    ['RECONCILIATION', {}, { mappings: [{ ...join, operation: 'GT' }] }, /^mappings\[0\]\.operation: must be EQ/],
    ['RECONCILIATION', {}, { mappings: [{ ...total, ignoreNullValues: true }] }, /^mappings\[0\]\.ignoreNullValues/],
    ['RECONCILIATION', {}, { mappings: [join, { ...total, tolerance: { trim: true } }] }, /^mappings\[1\]\.tolerance/],
    [
      'EQUALITY',
      {},
      {
        mappings: [join, { ...total, tolerance: { absolute: 1 } }],
        items: [{ measurementType: 'COUNT' }, { measurementType: 'HASHED_EQUALITY' }],
      },
      /^items\[1\]/,
    ],
    ['DATA_QUALITY', {}, { items: [] }, /^items: is needed/],
    ['DATA_QUALITY', {}, { items: null }, /^items: is needed/],
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
    ['DATA_DRIFT', { baseline: { type: 'REFERENCE' } }, {}, /^rule\.baseline\.referenceAssetId: is needed/],
    [
      'DATA_DRIFT',
      { baseline: { type: 'REFERENCE', referenceAssetUid: 'nowhere' } },
      {},
      /^rule\.baseline\.referenceAssetUid/,
    ],
    ['DATA_DRIFT', { baseline: { type: 'EXECUTION', executionId: 5 } }, {}, /^rule\.baseline\.executionId: 5 is no/],
    ['DATA_DRIFT', {}, { items: [{ columnName: 'amount' }] }, /^items\[0\]\.metricType: is needed, or a measure/],
    ['SCHEMA_DRIFT', {}, { items: [{ assetId: 12 }] }, /^items\[0\]\.assetId/],
    ['PROFILE_ANOMALY', {}, { items: [{ monitorColumns: ['id', 'x'] }] }, /^items\[0\]\.monitorColumns\[1\]/],
    [
      'PROFILE_ANOMALY',
      {},
      { items: [{ columns: ['note'], metrics: ['MEAN'] }] },
      /^items\[0\]\.metrics\[0\]: no column/,
    ],
    [
      'PROFILE_ANOMALY',
      {},
      { items: [{ columns: ['id'], metrics: ['ROW_COUNT'] }] },
      /^items\[0\]\.metrics\[0\]: ROW_COUNT/,
    ],
    [
      'AUTO_ANOMALY',
      {},
      { items: [{ thresholdConfig: { type: 'ABSOLUTE', config: { direction: 'ABOVE', success: 90 } } }] },
      /^items\[0\]\.thresholdConfig\.type: must be ANOMALY/,
    ],
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
      'DATA_FRESHNESS',
      {},
      { items: [{ ...freshness, measurementType: 'RAW_DATA_FRESHNESS' }] },
      /^items\[0\]\.columnName: .*time of loading/,
    ],
    [
      'DATA_FRESHNESS',
      { filter: 'id > 1' },
      { items: [{ measurementType: 'RAW_DATA_FRESHNESS' }] },
      /^rule\.filter: .*loading/,
    ],
    [
      'DATA_CADENCE',
      {},
      { items: [{ measurementType: 'ABSOLUTE_TOPIC_SIZE' }] },
      /^items\[0\]\.measurementType: .*Kafka/,
    ],
    ['DATA_QUALITY', { thresholdLevel: { success: 0.95 } }, {}, /^rule\.thresholdLevel\.config\.success: .*write 95 /],
    [
      'DATA_QUALITY',
      {},
      {
        items: [
          { measurementType: 'MISSING_VALUES', columnName: 'note', thresholdConfig: { success: 1, warning: 0.9 } },
        ],
      },
      /^items\[0\]\.thresholdConfig\.config\.warning: .*write 90 /,
    ],
    [
      'EQUALITY',
      {},
      { items: [{ measurementType: 'COUNT', thresholdConfig: { success: 0.95 } }] },
      /^items\[0\]\.thresholdConfig\.config\.success: .*write 95 /,
    ],
    [
      'RECONCILIATION',
      { thresholdLevel: { success: 1e300 } },
      {},
      /^rule\.thresholdLevel\.config\.success: must be a percentage from 0 to 100, not 1e\+300/,
    ],
    [
      'DATA_QUALITY',
      {},
      {
        items: [
          {
            measurementType: 'MISSING_VALUES',
            columnName: 'note',
            thresholdConfig: { type: 'ABSOLUTE', config: { direction: 'BELOW', success: -1 } },
          },
        ],
      },
      /^items\[0\]\.thresholdConfig\.config\.success: must be a percentage from 0 to 100, not -1/,
    ],
    [
      'EQUALITY',
      {},
      {
        items: [
          {
            measurementType: 'COUNT',
            thresholdConfig: { type: 'ABSOLUTE', config: { direction: 'RANGE', lowerSuccess: 99, upperSuccess: 101 } },
          },
        ],
      },
      /^items\[0\]\.thresholdConfig\.config\.upperSuccess: must be a percentage from 0 to 100, not 101/,
    ],
    [
      'DATA_QUALITY',
      { thresholdLevel: { type: 'ABSOLUTE', config: { direction: 'BELOW', unit: 'ROWS', success: 5 } } },
      {},
      /^rule\.thresholdLevel\.config\.unit/,
    ],
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
    ['PROFILE_ANOMALY', {}, { items: [{ metrics: ['CASE_COUNTS'] }] }],
    ['DATA_QUALITY', {}, { items: [{ measurementType: 'RECORD_COUNT_TOTAL' }] }],
    ['DATA_QUALITY', {}, { items: [{ measurementType: 'MISSING_VALUES', columnName: 'note', resultThreshold: 0.95 }] }],
    ['RECONCILIATION', { joinType: 'SIDEWAYS' }, {}],
    ['RECONCILIATION', {}, { mappings: [join, { ...total, tolerance: { relative: 1.5 } }] }],
    [
      'RECONCILIATION',
      {},
      { items: [{ measurementType: 'CUSTOM', value: { leftSql: 'SELECT 1', rightSql: 'SELECT 1', relative: 2 } }] },
    ],
  ])('%s %j %j by the schema of the request', async (type, rule, rest) => {
    await expect(create(type, rule, rest)).rejects.toThrow(z.ZodError)
  })

  it.each([
    ['CSV', 0, 'an id'],
    ['CSV', 3, 'refused'],
    ['PARQUET', 0, 'refused'],
  ])('given a text column of a %s file with %i rows against a number, then %s', async (format, rowCount, expected) => {
    const columns = [{ id: 22, uid: 'sales.copy.csv.key', name: 'key', dataType: 'VARCHAR' }]
    const locator = {
      ...{ kind: 'files', root: '/data', pattern: '/data/copy', format, partitioned: false, columns, fingerprint: '' },
    }
    const data = { rowCount, lastChangedAt: null, sizeBytes: 4, fileCount: 1 }
    await harness.table({ ...copyFixture(), revision: 9, columns, locator, data })
    const created = create('RECONCILIATION', {}, { mappings: [join] })
    const isCreated = expected === 'an id'
    await (isCreated
      ? expect(created).resolves.toMatchObject({ rule: { id: expect.any(Number) } })
      : expect(created).rejects.toThrow(/^mappings\[0\]: BIGINT and VARCHAR are never equal/))
  })

  it.each(policyTypes.filter((type) => kindOf(type).wholeTablesOnly !== undefined))(
    'given %s with a stored marker, when its schedule is to be INCREMENTAL, then 422',
    async (type) => {
      const marked = { backingAsset: { tableAssetId: 11, marker: { type: 'FileEventMarkerConfig' } } }
      const incremental = { scheduleExecutionType: 'INCREMENTAL' }
      const refused = {
        code: 'unprocessable',
        message: expect.stringMatching(/, so it cannot run INCREMENTAL; send FULL/),
      }
      await expect(create(type, { ...marked, ...incremental }, {})).rejects.toMatchObject(refused)
      const { rule } = await create(type, marked, {})
      const change = { params: { id: rule.id }, body: { rule: incremental } }
      await expect(harness.call(operations[type].update, change)).rejects.toMatchObject(refused)
    },
  )

  it('given two sides, then the filter of each side is checked against the source of that side', async () => {
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
