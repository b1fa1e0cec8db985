import type {
  CallLimits,
  DataEngine,
  Measured,
  MeasurePlan,
  Progress,
  RowSink,
  StartedStatements,
} from '@assay/data-engine'
import type { SideRequest } from '@assay/reliability'
import { AssayError, isAssayError } from '@assay/service-kit/errors'

export interface MeasuredRun {
  measured: Measured
  problems: SideRequest['problems']
}

export interface MeasureOptions {
  tenant: string
  rows: RowSink
  limits: CallLimits
  signal: AbortSignal
  onProgress: (progress: Progress) => void
  statements: StartedStatements
}

/**
 * Measures. If the engine refuses the plan because the source has changed, checks each item, and measures without the
 * items that the engine refuses.
 */
export async function measureRun(
  engine: DataEngine,
  { plan, problems }: { plan: MeasurePlan; problems: SideRequest['problems'] },
  options: MeasureOptions,
): Promise<MeasuredRun> {
  try {
    return { measured: await engine.measure(plan, options), problems }
  } catch (error) {
    if (!isAssayError(error, 'invalid')) throw error
    const { dataset, filter, metrics } = plan
    const prepared = await engine.prepare(
      { dataset, ...(filter ? { filter } : {}), metrics },
      { ...options, purpose: 'job' },
    )
    if (prepared.filterError !== null) throw new AssayError('unprocessable', `filter: ${prepared.filterError}`)
    if (prepared.metricErrors.length === 0) throw error
    const found = new Map(problems)
    for (const { id, message } of prepared.metricErrors) found.set(id, message)
    const sound = { ...plan, metrics: metrics.filter(({ id }) => !found.has(id)) }
    return { measured: await engine.measure(sound, options), problems: found }
  }
}
