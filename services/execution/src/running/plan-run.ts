import type { DatasetLocator, MeasurePlan, Window } from '@assay/data-engine'
import type { PlannedMeasure, References } from '@assay/reliability'
import type { RunLimits } from '../dependencies.ts'
import type { KnownRun } from '../versions/versions.ts'

export interface PlannedRun extends Pick<PlannedMeasure, 'known' | 'problems'> {
  plan: MeasurePlan
}

/** What the kind of a run asks for, with where and how to look for it. */
export function planRun(
  run: KnownRun,
  given: { dataset: DatasetLocator; window: Window | undefined; references: References },
  limits: RunLimits,
): PlannedRun {
  const { dataset, window, references } = given
  const planned = run.definition.plan({ ...run, columns: run.table.columns }, references)
  const { metrics, filter, known, problems } = planned
  const { good, bad } = run.configuration
  const plan: MeasurePlan = {
    dataset,
    ...(window ? { window } : {}),
    ...(filter ? { filter } : {}),
    metrics,
    rows: {
      bad: bad.store ? { format: bad.format, limit: null } : null,
      good: good.store ? { format: good.format, limit: null } : null,
      preview: 100,
    },
    limits: {
      timeoutMs: timeoutOf(run, limits),
      memoryMb: limits.memoryMb,
      threads: limits.threads,
      maxTempMb: limits.maxTempMb,
    },
  }
  return { plan, problems, known }
}

/** The policy's own limit counts, else the service's; neither beyond the operator's maximum. */
function timeoutOf({ definition }: KnownRun, { timeoutMs, maxTimeoutMs }: RunLimits): number {
  const minutes = definition.timeoutMinutes
  return Math.min(minutes === null ? timeoutMs : minutes * 60_000, maxTimeoutMs)
}
