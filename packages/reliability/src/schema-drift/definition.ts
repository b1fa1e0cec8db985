import { type PolicyAnswerOf, schemaDriftItem, severityRecord, thresholdRecord } from '@assay/contracts'
import { z } from 'zod'
import type { KeptDefinition } from '../kinds/run-kind.ts'

const item = schemaDriftItem.omit({ ruleVersion: true })

/** A schema drift policy, for its runs. */
export const schemaDriftPolicy = z.object({
  policyId: z.int(),
  assetId: z.int(),
  timeoutMinutes: z.int().nullable(),
  severity: severityRecord,
  items: z.array(item),
  score: z.object({
    strategy: z.enum(['CUSTOM', 'WEIGHTAGE', 'RULES']),
    items: z.array(z.string()),
    threshold: thresholdRecord,
    verdictBy: z.enum(['ITEMS', 'SCORE']),
  }),
  treatZeroRowsAsSuccess: z.boolean(),
})
export type SchemaDriftPolicy = z.infer<typeof schemaDriftPolicy>

/** The parts of a policy that runs need. Pure. */
export function keptSchemaDrift({ rule, details }: PolicyAnswerOf<'schema-drift'>): KeptDefinition {
  const definition: SchemaDriftPolicy = {
    policyId: rule.id,
    assetId: rule.backingAsset.tableAssetId,
    timeoutMinutes: rule.executionTimeoutInMinutes,
    severity: rule.severity,
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

type OwnItem = z.infer<typeof item>

/** An item of a run. `own` is null for the item of a policy without items, which counts every kind of change. */
export interface RunItem {
  id: number
  name: string
  own: OwnItem | null
}

/** The items of a policy. A policy without items has one with the policy's id. Pure. */
export function itemsOf({ policyId, items }: SchemaDriftPolicy): RunItem[] {
  if (items.length === 0) return [{ id: policyId, name: 'Schema', own: null }]
  const ordered = [...items].sort((one, other) => one.executionOrder - other.executionOrder || one.id - other.id)
  return ordered.map((own) => ({ id: own.id, name: `Schema ${own.id}`, own }))
}

/** The items of a run: the selected ones, else all. Pure. */
export function runItems(policy: SchemaDriftPolicy, selection: readonly number[] | null): RunItem[] {
  const all = itemsOf(policy)
  return selection === null ? all : all.filter(({ id }) => selection.includes(id))
}
