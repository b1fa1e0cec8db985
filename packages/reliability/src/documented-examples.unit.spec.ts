import { readFileSync } from 'node:fs'
import {
  type ItemRecord,
  itemInput,
  itemKindOf,
  measurementTypes,
  ruleInput,
  runMarkerConfig,
  strictly,
  threshold,
  unknownFields,
} from '@assay/contracts'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { storedMarkerProblem } from './markers.ts'
import { planItem } from './plan-item.ts'
import { thresholdOfPercentage, thresholdRecordOf } from './threshold.ts'

const page = readFileSync(new URL('../../../docs/policies/data-quality.md', import.meta.url), 'utf8')

/** The indented items of the page, each of one or two lines. */
const items: unknown[] = [...page.matchAll(/\n\n((?: {4}.*\n)+)/g)]
  .filter(([, text = '']) => text.startsWith('    { "measurementType"'))
  .map(([, text = '']) => JSON.parse(text))
const listed = (name: string): unknown[] => {
  const text = new RegExp(`\`\`\`json ${name}\\n([\\s\\S]*?)\`\`\``).exec(page)?.[1]
  return z.array(z.unknown()).parse(JSON.parse(text ?? 'null'))
}

const columns = [
  ...['email', 'status', 'country', 'zip'].map((name) => ({ name, dataType: 'VARCHAR' })),
  ...['amount', 'price', 'quantity'].map((name) => ({ name, dataType: 'DOUBLE' })),
  ...['customer_id', 'order_id', 'line'].map((name) => ({ name, dataType: 'BIGINT' })),
  ...['loaded_at', 'ordered_at', 'shipped_at'].map((name) => ({ name, dataType: 'TIMESTAMP' })),
  ...['year', 'month', 'day'].map((name) => ({ name, dataType: 'VARCHAR' })),
]
const nothingUnknown = { refused: [], ignored: [] }

function plan(example: unknown) {
  expect(unknownFields(strictly(itemInput), example)).toEqual(nothingUnknown)
  const item = itemInput.parse(example)
  const record: ItemRecord = {
    id: 1,
    ruleId: 1,
    ruleVersion: 1,
    name: 'x',
    executionOrder: 0,
    weightage: 1,
    isWarning: false,
    isDimension: false,
    isArchived: false,
    measurementType: item.measurementType,
    columnName: item.columnName ?? null,
    // Items that name a lookup by UID are stored with its id, too.
    value: item.value && 'lookupAssetUid' in item.value ? { ...item.value, lookupAssetId: 1 } : (item.value ?? null),
    ruleExpression: item.ruleExpression ?? null,
    resultThreshold: 100,
    thresholdConfig: thresholdRecordOf(thresholdOfPercentage(100)),
    aggregateType: item.aggregateType ?? 'RULE',
    filter: null,
    businessExplanation: null,
    labels: [],
    executionInputs: null,
    associatedDQRecommendationId: null,
    bulkPolicyDqRuleId: null,
  }
  return planItem(record, columns)
}

describe('given the documentation of data quality policies, when its examples are read', () => {
  test('then there is one item of every kind', () => {
    const kinds = items.map((item) => itemInput.parse(item).measurementType)
    expect([...new Set(kinds)].sort()).toEqual([...measurementTypes].sort())
  })
  const examples = measurementTypes.map((measurementType) => ({
    measurementType,
    ...itemKindOf(measurementType).example,
  }))
  test.each([...items, ...examples])('then %j can be run', (item) => {
    expect(plan(item)).not.toHaveProperty('problem')
  })
  test.each(listed('thresholds'))('then %j is a threshold', (one) => {
    expect(unknownFields(strictly(threshold), one)).toEqual(nothingUnknown)
    expect(threshold.safeParse(one)).toMatchObject({ success: true })
  })
  test.each(listed('stored-markers'))('then %j can be stored', (marker) => {
    const rule = { backingAsset: { marker } }
    expect(unknownFields(ruleInput, rule)).toEqual(nothingUnknown)
    const { backingAsset } = ruleInput.parse(rule)
    expect(backingAsset?.marker && storedMarkerProblem(backingAsset.marker, { columns, isFiles: true })).toBeUndefined()
  })
  test.each(listed('run-markers'))('then %j can bound a run', (marker) => {
    expect(unknownFields(runMarkerConfig, marker)).toEqual(nothingUnknown)
    expect(runMarkerConfig.safeParse(marker)).toMatchObject({ success: true })
  })
})
