import type { Threshold } from '@assay/contracts'
import { thresholdProblem } from '@assay/reliability'
import { type StoredThreshold, storedThreshold } from '../policy/stored-threshold.ts'
import { unnumbered } from './merge-list.ts'
import { refusal } from './refusal.ts'

/** The common fields of items, for every type but data quality. Throws `invalid` for an impossible threshold. */
export function itemFrame(
  input: { executionOrder?: number | undefined; thresholdConfig?: Threshold | undefined },
  index: number,
  before: { id: number } | undefined,
): { id: number; executionOrder: number; thresholdConfig: StoredThreshold | null } {
  const { thresholdConfig } = input
  const problem = thresholdConfig === undefined ? undefined : thresholdProblem(thresholdConfig)
  if (problem !== undefined) throw refusal(`items[${index}].thresholdConfig.${problem.path}`, problem.message)
  return {
    id: before?.id ?? unnumbered,
    executionOrder: input.executionOrder ?? index,
    thresholdConfig: thresholdConfig === undefined ? null : storedThreshold(thresholdConfig),
  }
}
