import { isDeepStrictEqual } from 'node:util'
import { itemKindOf } from '@assay/contracts'
import { mergeBackfill } from '../../definition/backfill.ts'
import { sideNamed } from '../../definition/one-table.ts'
import { refusal } from '../../definition/refusal.ts'
import { type Backfill, type DefinitionFrame, defaultBackfill } from '../../policy/definition.ts'
import { expectedAlarms, sensitivityOf } from '../../policy/expected-alarms.ts'
import { commonDetails, jobScheduleOf, ruleOf } from '../../policy/record-frames.ts'
import type { Family } from '../family.ts'
import { checkQuality } from './check.ts'
import { type ItemDefinition, itemRecord } from './item.ts'
import { draftItems } from './items.ts'

export type Quality = {
  /** Absent: as by default. */
  backfill?: Backfill
  items: ItemDefinition[]
}

export const dataQuality: Family<'DATA_QUALITY', Quality> = {
  defaults: () => ({ items: [] }),
  checkedFields: { backfill: true, items: true },
  async complete(sent, { complete }) {
    if (sent.items === undefined) return sent
    const items = sent.items.map(async (item, index) => {
      const { refersTo } = itemKindOf(item.measurementType)
      if (refersTo === undefined) return item
      return { ...item, value: await complete(item.value, `items[${index}].value`, refersTo) }
    })
    return { ...sent, items: await Promise.all(items) }
  },
  merge(before, sent) {
    const items = draftItems(before.items, sent.items)
    if (items.length === 0) throw refusal('items', 'is needed: a data quality policy has at least one item')
    return { ...mergeBackfill(before.backfill, sent.rule.backfill), items }
  },
  sidesNamed: sideNamed,
  check: checkQuality,
  reads: ({ items }, before) =>
    items.flatMap((item, index) =>
      before?.items.some((one) => isDeepStrictEqual(one, item))
        ? []
        : [{ item: itemRecord({ ...item, id: index + 1 }), path: `items[${index}]` }],
    ),
  answer: (policy, definition, tenant) => ({
    rule: { ...ruleOf(policy, definition, tenant), customSqlConfig: null, ...learningOf(definition) },
    details: {
      ...commonDetails(policy, tenant),
      backingAssetId: definition.target.assetId,
      items: definition.items.map((item) => itemRecord(item, policy)),
      parentId: null,
      subType: 'ASSET',
      engineType: null,
      customSqlConfig: null,
      jobSchedule: jobScheduleOf(definition, tenant),
      transformUDFs: [],
    },
    childRules: [],
    engine: null,
  }),
}

/** The learning part of a record; empty if no threshold learns usual values. */
function learningOf({ items, backfill, verdictBy, thresholdLevel }: Quality & DefinitionFrame) {
  const thresholds = items.map(({ thresholdConfig }) => thresholdConfig)
  const sensitivities = [...thresholds, ...(verdictBy === 'SCORE' ? [thresholdLevel] : [])].flatMap(sensitivityOf)
  return {
    ...(backfill === undefined && sensitivities.length === 0 ? {} : { backfill: backfill ?? defaultBackfill }),
    ...expectedAlarms(sensitivities),
  }
}
