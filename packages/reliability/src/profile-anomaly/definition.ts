import { anomalyItem, type PolicyAnswerOf, thresholdRecord, type WatchedMetric, watchedMetrics } from '@assay/contracts'
import { z } from 'zod'
import { type Sensitivities, sensitivitiesIn } from '../anomaly/judge-anomaly.ts'
import type { KeptDefinition, TableSettings } from '../kinds/run-kind.ts'
import { keptPeriods, periodsDefinition } from '../periods/definition.ts'
import { readThreshold } from '../threshold.ts'

const item = anomalyItem.omit({ ruleVersion: true })

/** An anomaly policy, for its runs. */
export const anomalyPolicy = z.object({
  policyId: z.int(),
  assetId: z.int(),
  filter: z.string().nullable(),
  marker: z.looseObject({ type: z.string() }).nullable(),
  timeoutMinutes: z.int().nullable(),
  /** The column that the configuration of the table names. */
  freshnessColumn: z.string().nullable(),
  sensitivity: z.enum(['HIGH', 'MEDIUM', 'LOW']),
  /** The sensitivities of items that name none. */
  metrics: z.array(z.enum(watchedMetrics)),
  items: z.array(item),
  score: z.object({
    strategy: z.enum(['CUSTOM', 'WEIGHTAGE', 'RULES']),
    items: z.array(z.string()),
    threshold: thresholdRecord,
    verdictBy: z.enum(['ITEMS', 'SCORE']),
  }),
  treatZeroRowsAsSuccess: z.boolean(),
  /** Absent if its figures are not measured by period. */
  periods: periodsDefinition.exactOptional(),
})
export type AnomalyPolicy = z.infer<typeof anomalyPolicy>

/** The parts of a policy that runs need. `metrics`: the metrics that its type watches. Pure. */
export function keptAnomaly(
  { rule, details }: PolicyAnswerOf<'anomaly'>,
  settings: TableSettings,
  metrics: readonly WatchedMetric[],
): KeptDefinition {
  const definition: AnomalyPolicy = {
    policyId: rule.id,
    assetId: rule.backingAsset.tableAssetId,
    filter: rule.filter,
    marker: rule.backingAsset.marker,
    timeoutMinutes: rule.executionTimeoutInMinutes,
    freshnessColumn: settings.freshnessColumn,
    sensitivity: rule.anomalyStrengthThreshold,
    metrics: [...metrics],
    // A new schedule or description raises the version of the policy without changing its definition.
    items: details.items.map(({ ruleVersion: _, ...kept }) => kept),
    score: {
      strategy: rule.policyScoreStrategy,
      items: rule.scoreItems,
      threshold: rule.thresholdLevel,
      verdictBy: rule.verdictBy,
    },
    treatZeroRowsAsSuccess: rule.treatZeroRowsAsSuccess,
    ...keptPeriods(rule, settings),
  }
  return { definition, shown: { items: [] } }
}

/** An item of a run. `own` is null for the item of a policy without items, which watches everything. */
export interface RunItem {
  id: number
  name: string
  own: z.infer<typeof item> | null
  /** The watched column. `null` means the table and all its columns. */
  columns: readonly string[] | null
  metrics: readonly WatchedMetric[]
}

/** The items of a policy. Without any, there is one with the policy's id. Pure. */
export function itemsOf({ policyId, items, metrics }: AnomalyPolicy): RunItem[] {
  if (items.length === 0) return [{ id: policyId, name: 'All figures', own: null, columns: null, metrics }]
  const ordered = [...items].sort((one, other) => one.executionOrder - other.executionOrder || one.id - other.id)
  return ordered.map((own) => ({
    ...{ id: own.id, name: own.name, own },
    ...{ columns: own.monitorColumns, metrics: own.metrics ?? metrics },
  }))
}

/** The items of a run: the selected ones, else all. Pure. */
export function runItems(policy: AnomalyPolicy, selection: readonly number[] | null): RunItem[] {
  const all = itemsOf(policy)
  return selection === null ? all : all.filter(({ id }) => selection.includes(id))
}

/** The sensitivities of an item: its own, else those of the policy. Pure. */
export function sensitivitiesOf({ sensitivity }: AnomalyPolicy, { own }: RunItem): Sensitivities {
  const read = own?.thresholdConfig ? readThreshold(own.thresholdConfig) : undefined
  if (read === undefined || !('comparing' in read) || read.comparing.type !== 'ANOMALY') return { error: sensitivity }
  return sensitivitiesIn(read.comparing)
}
