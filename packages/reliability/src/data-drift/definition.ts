import { baselineRecord, dataDriftItem, type PolicyAnswerOf, thresholdRecord } from '@assay/contracts'
import { z } from 'zod'
import type { KeptDefinition } from '../kinds/run-kind.ts'

const item = dataDriftItem.omit({ ruleVersion: true, ruleId: true, isArchived: true })

/** A data drift policy, for its runs. */
export const dataDriftPolicy = z.object({
  policyId: z.int(),
  assetId: z.int(),
  filter: z.string().nullable(),
  marker: z.looseObject({ type: z.string() }).nullable(),
  timeoutMinutes: z.int().nullable(),
  baseline: baselineRecord,
  items: z.array(item),
  score: z.object({
    strategy: z.enum(['CUSTOM', 'WEIGHTAGE', 'RULES']),
    items: z.array(z.string()),
    threshold: thresholdRecord,
    verdictBy: z.enum(['ITEMS', 'SCORE']),
  }),
  treatZeroRowsAsSuccess: z.boolean(),
})
export type DataDriftPolicy = z.infer<typeof dataDriftPolicy>
export type DataDriftItem = z.infer<typeof item>

/** The parts of a policy that runs need. Pure. */
export function keptDataDrift({ rule, details }: PolicyAnswerOf<'data-drift'>): KeptDefinition {
  const definition: DataDriftPolicy = {
    policyId: rule.id,
    assetId: rule.backingAsset.tableAssetId,
    filter: rule.filter,
    marker: rule.backingAsset.marker,
    timeoutMinutes: rule.executionTimeoutInMinutes,
    baseline: rule.baseline,
    // A new schedule or description raises the version of the policy without changing its definition.
    items: details.items.map(({ ruleVersion: _, ruleId: _id, isArchived: _archived, ...kept }) => kept),
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

/** The items of a run, in order: the selected ones, else all. Pure. */
export function runItems({ items }: DataDriftPolicy, selection: readonly number[] | null): DataDriftItem[] {
  return items
    .filter(({ id }) => selection === null || selection.includes(id))
    .sort((one, other) => one.executionOrder - other.executionOrder || one.id - other.id)
}

/** The columns of the items, without duplicates. Pure. */
export const columnsOf = (items: readonly DataDriftItem[]): string[] => [
  ...new Set(items.flatMap(({ columnName }) => columnName ?? [])),
]
