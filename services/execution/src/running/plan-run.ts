import type { DatasetLocator, MeasurePlan, Metric, SqlText, Window } from '@assay/data-engine'
import { boundVariables, planItem, type References, type TagResult } from '@assay/reliability'
import type { RunLimits } from '../dependencies.ts'
import { runItems } from '../execution/run-items.ts'
import type { KnownRun } from '../versions/versions.ts'

export interface PlannedRun {
  plan: MeasurePlan
  /** By item id: a sentence for each item that cannot be evaluated. The others go on. */
  problems: ReadonlyMap<number, string>
  /** What is known of items without a look at the data. */
  known: readonly TagResult[]
}

/** One plan for all items of a run: one scan serves them. */
export function planRun(
  run: KnownRun,
  given: { dataset: DatasetLocator; window: Window | undefined; references: References },
  limits: RunLimits,
): PlannedRun {
  const { dataset, window, references } = given
  const metrics: Metric[] = []
  const known: TagResult[] = []
  const problems = new Map<number, string>()
  for (const item of runItems(run)) {
    const planned = planItem(item, run.table.columns, references)
    if ('metric' in planned) metrics.push(planned.metric)
    else if ('known' in planned) known.push(planned.known)
    else if ('problem' in planned) problems.set(item.id, `${planned.problem.path}: ${planned.problem.message}`)
  }
  const filter = filterOf(run.definition.filter, references)
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

function filterOf(sql: string | null, { variables }: References): SqlText | undefined {
  return sql === null || sql.trim() === '' ? undefined : { sql, variables: boundVariables(variables) }
}
