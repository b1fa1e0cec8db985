import { type ItemRecord, itemRecord, type RuleAnswer, thresholdRecord } from '@assay/contracts'
import { z } from 'zod'
import type { KeptDefinition, TableSettings } from '../kinds/run-kind.ts'
import { keptPeriods, periodsDefinition } from '../periods/definition.ts'

/** The stored definition of a data quality policy, as its runs need it. */
export const qualityPolicy = z.object({
  sides: z.tuple([
    z.object({
      side: z.literal('ONE'),
      assetId: z.int(),
      filter: z.string().nullable(),
      marker: z.looseObject({ type: z.string() }).nullable(),
    }),
  ]),
  timeoutMinutes: z.int().nullable(),
  treatZeroRowsAsSuccess: z.boolean(),
  score: z.object({
    strategy: z.enum(['CUSTOM', 'WEIGHTAGE', 'RULES']),
    items: z.array(z.string()),
    threshold: thresholdRecord,
    verdictBy: z.enum(['ITEMS', 'SCORE']),
  }),
  /** Including archived ones. */
  items: z.array(itemRecord),
  /** Absent if its items are not measured by period. */
  periods: periodsDefinition.exactOptional(),
  /** Appears in records of runs and does not affect them. */
  shown: z.object({
    isProtectedResource: z.boolean(),
    sparkSQLFilterType: z.enum(['STATIC', 'DYNAMIC']),
    autoRetryEnabled: z.boolean(),
  }),
})
export type QualityPolicy = z.infer<typeof qualityPolicy>

/** The definition that runs of a policy use. Fields that change without affecting runs are left out. Pure. */
export function keptQuality({ rule, details }: RuleAnswer, settings: TableSettings): KeptDefinition {
  const { tableAssetId, marker } = rule.backingAsset
  const { isProtectedResource, sparkSQLFilterType, autoRetryEnabled } = rule
  const parts = details.items.map((item) => {
    const { id, name, measurementType, columnName, executionOrder, value, ruleExpression, ...others } = item
    const { resultThreshold, thresholdConfig, weightage, aggregateType, isWarning, isArchived, filter, ...rest } =
      others
    // A new schedule or description raises the version of the policy without changing its definition.
    const { ruleVersion: _, ...shown } = rest
    const measured = {
      id,
      name,
      measurementType,
      columnName,
      executionOrder,
      value,
      ruleExpression,
      aggregateType,
      filter,
    }
    return { item: { ...measured, resultThreshold, thresholdConfig, weightage, isWarning, isArchived }, shown }
  })
  return {
    definition: {
      sides: [{ side: 'ONE', assetId: tableAssetId, filter: rule.filter, marker }],
      timeoutMinutes: rule.executionTimeoutInMinutes,
      treatZeroRowsAsSuccess: rule.treatZeroRowsAsSuccess,
      score: {
        strategy: rule.policyScoreStrategy,
        items: rule.scoreItems,
        threshold: rule.thresholdLevel,
        verdictBy: rule.verdictBy,
      },
      items: parts.map(({ item }) => item),
      ...keptPeriods(rule, settings),
    },
    shown: {
      ...{ isProtectedResource, sparkSQLFilterType, autoRetryEnabled },
      items: parts.map(({ shown }) => shown),
    },
  }
}

/** Placeholder until a run sets the policy version. */
const unknownVersion = 0
const items = z.array(z.record(z.string(), z.unknown()))

/** Parses the result of `keptQuality`, once for all versions that share the definition. Pure. */
export function openQuality({ definition, shown }: KeptDefinition): (policyVersion: number) => QualityPolicy {
  const kept = items
    .parse(definition.items)
    .map((item, index) => ({ ...item, ...shown.items[index], ruleVersion: unknownVersion }))
  const policy = qualityPolicy.parse({ ...definition, items: kept, shown })
  return (ruleVersion) => ({ ...policy, items: policy.items.map((item) => ({ ...item, ruleVersion })) })
}

/** The selected items, or all items without a selection, in order. Never includes archived items. Pure. */
export function runItems({ items }: QualityPolicy, itemSelection: readonly number[] | null): ItemRecord[] {
  const selected = itemSelection === null ? undefined : new Set(itemSelection)
  return items
    .filter((item) => !item.isArchived && (selected === undefined || selected.has(item.id)))
    .sort((a, b) => a.executionOrder - b.executionOrder || a.id - b.id)
}
