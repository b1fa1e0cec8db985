import {
  columnMapping,
  type PolicyAnswerOf,
  reconciliationItem,
  thresholdRecord,
  wholeMeasurement,
} from '@assay/contracts'
import { z } from 'zod'
import type { KeptDefinition } from '../kinds/run-kind.ts'

const item = reconciliationItem.omit({ ruleId: true, ruleVersion: true, version: true }).extend({
  columnName: z.string().nullable(),
  value: z.record(z.string(), z.unknown()).nullable(),
})
const mapping = columnMapping
  .pick({ leftColumnName: true, rightColumnName: true, operation: true, useForJoining: true })
  .extend(columnMapping.pick({ ignoreNullValues: true, isWarning: true, tolerance: true }).shape)
const side = z.object({
  assetId: z.int(),
  filter: z.string().nullable(),
  marker: z.looseObject({ type: z.string() }).nullable(),
})

/** A policy on two tables, for its runs. */
export const comparisonPolicy = z.object({
  policyId: z.int(),
  left: side,
  right: side,
  timeoutMinutes: z.int().nullable(),
  /** Whether items check that the tables are equal, instead of measuring how far they agree. */
  asksEquality: z.boolean(),
  joinType: z.enum(['INNER', 'LEFT', 'RIGHT', 'FULL']),
  timeSecondsOffset: z.int(),
  /** Absent: none. */
  delayMinutes: z.int().exactOptional(),
  items: z.array(item),
  mappings: z.array(mapping),
  score: z.object({
    strategy: z.enum(['CUSTOM', 'WEIGHTAGE', 'RULES']),
    items: z.array(z.string()),
    threshold: thresholdRecord,
    verdictBy: z.enum(['ITEMS', 'SCORE']),
  }),
  treatZeroRowsAsSuccess: z.boolean(),
})
export type ComparisonPolicy = z.infer<typeof comparisonPolicy>
export type ComparisonItem = z.infer<typeof item>
export type Mapping = z.infer<typeof mapping>

/** The parts of a policy that runs need. Pure. */
export function keptComparison(
  { rule, details }: PolicyAnswerOf<'reconciliation'>,
  asksEquality: boolean,
): KeptDefinition {
  const sideOf = ({ tableAssetId, marker }: typeof rule.leftBackingAsset, filter: string | null) => ({
    assetId: tableAssetId,
    filter: filter === null || filter.trim() === '' ? null : filter,
    marker,
  })
  const { joinType, delayInMinutes } = rule
  const definition: ComparisonPolicy = {
    policyId: rule.id,
    left: sideOf(rule.leftBackingAsset, rule.leftFilter),
    right: sideOf(rule.rightBackingAsset, rule.rightFilter),
    timeoutMinutes: rule.executionTimeoutInMinutes,
    asksEquality,
    // CROSS is refused when a policy is written.
    joinType: joinType === null || joinType === 'CROSS' ? 'FULL' : joinType,
    timeSecondsOffset: rule.timeSecondsOffset,
    ...(delayInMinutes === null || delayInMinutes === 0 ? {} : { delayMinutes: delayInMinutes }),
    // A new schedule or description raises the version of the policy without changing its definition.
    items: details.items.map((each) => item.parse(each)),
    mappings: details.columnMappings.map((each) => mapping.parse(each)),
    score: {
      strategy: rule.policyScoreStrategy,
      items: rule.scoreItems,
      threshold: rule.thresholdLevel,
      verdictBy: rule.verdictBy,
    },
    treatZeroRowsAsSuccess: rule.treatZeroRowsAsSuccess,
  }
  return { definition, shown: { items: [] } }
}

/** An item of a run. `own` is null for the item of a policy without items, which compares all rows. */
export interface RunItem extends Omit<ComparisonItem, 'executionOrder'> {
  name: string
  own: ComparisonItem | null
}

/** The items of a policy, in order. A policy without items has one with the policy's id. Pure. */
export function itemsOf({ policyId, items }: ComparisonPolicy): RunItem[] {
  if (items.length === 0) {
    const asked = { id: policyId, measurementType: wholeMeasurement, columnName: null, value: null }
    return [{ ...asked, thresholdConfig: null, name: wholeMeasurement, own: null }]
  }
  const ordered = [...items].sort((one, other) => one.executionOrder - other.executionOrder || one.id - other.id)
  return ordered.map((own) => {
    const { executionOrder: _, ...rest } = own
    return { ...rest, name: own.measurementType, own }
  })
}

/** The items of a run: the selected ones, else all. Pure. */
export function runItems(policy: ComparisonPolicy, selection: readonly number[] | null): RunItem[] {
  const all = itemsOf(policy)
  return selection === null ? all : all.filter(({ id }) => selection.includes(id))
}
