import { itemRecord, type RuleAnswer, thresholdRecord } from '@assay/contracts'
import { z } from 'zod'

/** A data quality policy as its runs know it. */
export const qualityPolicy = z.object({
  filter: z.string().nullable(),
  marker: z.looseObject({ type: z.string() }).nullable(),
  timeoutMinutes: z.int().nullable(),
  treatZeroRowsAsSuccess: z.boolean(),
  score: z.object({
    strategy: z.enum(['CUSTOM', 'WEIGHTAGE', 'RULES']),
    items: z.array(z.string()),
    threshold: thresholdRecord,
    verdictBy: z.enum(['ITEMS', 'SCORE']),
  }),
  /** Archived ones as well. */
  items: z.array(itemRecord),
  /** Changes no run, and stands in the records of runs. */
  shown: z.object({
    isProtectedResource: z.boolean(),
    sparkSQLFilterType: z.enum(['STATIC', 'DYNAMIC']),
    autoRetryEnabled: z.boolean(),
  }),
})
export type QualityPolicy = z.infer<typeof qualityPolicy>

/** A definition as the log keeps it. `shown` changes no run, and stands in the records of runs. */
export interface KeptDefinition {
  definition: Record<string, unknown>
  shown: { items: Record<string, unknown>[]; [name: string]: unknown }
}

/** What runs need of a policy, without what changes apart from its definition. Pure. */
export function keptQuality({ rule, details }: RuleAnswer): KeptDefinition {
  const { isProtectedResource, sparkSQLFilterType, autoRetryEnabled } = rule
  const parts = details.items.map((item) => {
    const { id, name, measurementType, columnName, executionOrder, value, ruleExpression, ...others } = item
    const { resultThreshold, thresholdConfig, weightage, aggregateType, isWarning, isArchived, filter, ...shown } =
      others
    const asked = {
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
    return { item: { ...asked, resultThreshold, thresholdConfig, weightage, isWarning, isArchived }, shown }
  })
  return {
    definition: {
      filter: rule.filter,
      marker: rule.backingAsset.marker,
      timeoutMinutes: rule.executionTimeoutInMinutes,
      treatZeroRowsAsSuccess: rule.treatZeroRowsAsSuccess,
      score: {
        strategy: rule.policyScoreStrategy,
        items: rule.scoreItems,
        threshold: rule.thresholdLevel,
        verdictBy: rule.verdictBy,
      },
      items: parts.map(({ item }) => item),
    },
    shown: {
      ...{ isProtectedResource, sparkSQLFilterType, autoRetryEnabled },
      items: parts.map(({ shown }) => shown),
    },
  }
}

const items = z.array(z.record(z.string(), z.unknown()))

/** The policy that `keptQuality` kept. Pure. */
export function openQuality({ definition, shown }: KeptDefinition): QualityPolicy {
  const kept = items.parse(definition.items).map((item, index) => ({ ...item, ...shown.items[index] }))
  return qualityPolicy.parse({ ...definition, items: kept, shown })
}
