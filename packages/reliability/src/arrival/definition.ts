import { arrivalItem, type PolicyAnswerOf, thresholdRecord } from '@assay/contracts'
import { z } from 'zod'
import type { KeptDefinition, TableSettings } from '../kinds/run-kind.ts'

const item = arrivalItem.omit({ ruleVersion: true })
export type OwnItem = z.infer<typeof item>

/** A freshness or cadence policy, for its runs. */
export const arrivalPolicy = z.object({
  policyId: z.int(),
  assetId: z.int(),
  timeoutMinutes: z.int().nullable(),
  filter: z.string().nullable(),
  /** Of cadence policies. Absent if the policy has none. */
  marker: z.looseObject({ type: z.string() }).exactOptional(),
  timeZone: z.string(),
  /** The column that the configuration of the table names. */
  freshnessColumn: z.string().nullable(),
  sensitivity: z.enum(['HIGH', 'MEDIUM', 'LOW']),
  items: z.array(item),
  score: z.object({
    strategy: z.enum(['CUSTOM', 'WEIGHTAGE', 'RULES']),
    items: z.array(z.string()),
    threshold: thresholdRecord,
    verdictBy: z.enum(['ITEMS', 'SCORE']),
  }),
  treatZeroRowsAsSuccess: z.boolean(),
})
export type ArrivalPolicy = z.infer<typeof arrivalPolicy>

/** The parts of a policy that runs need; `marker`: null for runs that always read the whole table. Pure. */
export function keptArrival(
  { rule, details }: PolicyAnswerOf<'cadence'>,
  settings: TableSettings,
  marker: PolicyAnswerOf<'cadence'>['rule']['backingAsset']['marker'],
): KeptDefinition {
  const { tableAssetId } = rule.backingAsset
  const definition: ArrivalPolicy = {
    policyId: rule.id,
    assetId: tableAssetId,
    timeoutMinutes: rule.executionTimeoutInMinutes,
    filter: rule.filter,
    ...(marker === null ? {} : { marker }),
    timeZone: settings.timeZone ?? 'UTC',
    freshnessColumn: settings.freshnessColumn,
    sensitivity: rule.anomalyStrengthThreshold,
    // A new schedule or description raises the version of the policy without changing its definition.
    items: details.items.map(({ ruleVersion: _, ...kept }) => kept),
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

/** The items of a policy in order. Pure. */
export function inOrder(items: readonly OwnItem[]): OwnItem[] {
  return [...items].sort((one, other) => one.executionOrder - other.executionOrder || one.id - other.id)
}

/** The items of a run: the selected ones, else all. Pure. */
export function selectedOf<T extends { id: number }>(all: readonly T[], selection: readonly number[] | null): T[] {
  return selection === null ? [...all] : all.filter(({ id }) => selection.includes(id))
}
