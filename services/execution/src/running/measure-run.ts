import type { CallLimits, DataEngine, Measured, MeasurePlan, Progress, RowSink } from '@assay/data-engine'
import type { EachSide, FoundSide, SideRequest } from '@assay/reliability'
import { AssayError, isAssayError } from '@assay/service-kit/errors'
import { bySideInTurn } from '../execution/sides.ts'
import type { OpenSide } from './open-sides.ts'

export interface MeasuredRun {
  measured: Measured
  problems: SideRequest['problems']
}

interface MeasureOptions {
  tenant: string
  rows: RowSink
  limits: CallLimits
  signal: AbortSignal
  onProgress: (progress: Progress) => void
}

/**
 * Measures. A plan that the engine refuses as a whole, because the source has changed since the items were written, is
 * looked at item by item, and measured without those that cannot work any more.
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
      { ...options, purpose: 'look' },
    )
    if (prepared.filterError !== null) throw new AssayError('unprocessable', `filter: ${prepared.filterError}`)
    if (prepared.metricErrors.length === 0) throw error
    const found = new Map(problems)
    for (const { id, message } of prepared.metricErrors) found.set(id, message)
    const sound = { ...plan, metrics: metrics.filter(({ id }) => !found.has(id)) }
    return { measured: await engine.measure(sound, options), problems: found }
  }
}

/**
 * Measures each side, one after the other. Only the first keeps rows: a run has one file of them in each category. Progress
 * is that of the whole.
 */
export async function measureSides(
  engine: DataEngine,
  sides: EachSide<{ open: OpenSide; plan: MeasurePlan; request: SideRequest }>,
  options: MeasureOptions,
) {
  return bySideInTurn(sides, async ({ open, plan, request }, index) => {
    const onProgress = ({ stage, fraction }: Progress) =>
      options.onProgress({ stage, fraction: fraction === null ? null : (index + fraction) / sides.length })
    const rows = index === 0 ? plan.rows : { ...plan.rows, good: null, bad: null }
    const asked = { plan: { ...plan, rows }, problems: request.problems }
    const { measured, problems } = await measureRun(engine, asked, { ...options, onProgress })
    const { rowsScanned, metrics } = measured
    const found: FoundSide = { side: request.side, results: [...metrics, ...request.known], problems, rowsScanned }
    return { measured, found, reached: measured.reached ?? open.given.mark }
  })
}
