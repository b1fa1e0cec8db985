import type { DatasetLocator, MeasurePlan, Window } from '@assay/data-engine'
import type { SideRequest } from '@assay/reliability'
import type { RunLimits } from '../dependencies.ts'
import type { KnownRun } from '../versions/versions.ts'

/** What the kind of a run asks of a side, with where and how to look for it. */
export function measurePlan(
  { definition, configuration }: Pick<KnownRun, 'definition' | 'configuration'>,
  { metrics, filter }: Pick<SideRequest, 'metrics' | 'filter'>,
  { dataset, window }: { dataset: DatasetLocator; window: Window | undefined },
  limits: RunLimits,
): MeasurePlan {
  const { good, bad } = configuration
  return {
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
      timeoutMs: timeoutOf(definition, limits),
      memoryMb: limits.memoryMb,
      threads: limits.threads,
      maxTempMb: limits.maxTempMb,
    },
  }
}

/** The policy's own limit counts, else the service's; neither beyond the operator's maximum. */
function timeoutOf({ timeoutMinutes }: KnownRun['definition'], { timeoutMs, maxTimeoutMs }: RunLimits): number {
  return Math.min(timeoutMinutes === null ? timeoutMs : timeoutMinutes * 60_000, maxTimeoutMs)
}
