import { anomalyFigures, backfilledPeriods } from '@assay/contracts'
import { z } from 'zod'

/** Maximum number of series in the result of an item. */
export const maxAnomalies = 200

/** The findings of an item, as outcomes keep them. */
export const anomalyDetail = anomalyFigures.extend({
  state: z.enum(['LEARNING', 'JUDGED']),
  learned: z.object({ points: z.int(), needed: z.int() }).nullable(),
  /** Absent if none of its figures was measured by period. */
  backfill: backfilledPeriods.exactOptional(),
  /** The number of judged values of periods before the newest one. They decide no verdict and are not shown. */
  earlierCount: z.int().exactOptional(),
  /** The number of figures that have too few earlier values. Only the description shows it. */
  learning: z.object({ figures: z.int(), points: z.int(), needed: z.int() }).exactOptional(),
})
export type AnomalyDetail = z.infer<typeof anomalyDetail>

const known = new WeakMap<object, AnomalyDetail>()

/**
 * The findings, checked. Each object is checked only once, because checking hundreds of figures takes milliseconds.
 * Pure.
 */
export function detailIn(found: unknown): AnomalyDetail {
  if (typeof found !== 'object' || found === null) return anomalyDetail.parse(found)
  const detail = known.get(found) ?? anomalyDetail.parse(found)
  known.set(found, detail)
  return detail
}

/** A number that fits into JSON: the band of a value that grows by factors may end at infinity. */
export const bounded = (value: number): number => Math.min(Math.max(value, -Number.MAX_VALUE), Number.MAX_VALUE)

/** The findings of an item for its records, without the values if they are hidden. Pure. */
export function shownDetail(
  detail: AnomalyDetail,
  isHidden: boolean,
): Omit<AnomalyDetail, 'earlierCount' | 'learning'> {
  const { earlierCount: _, learning: __, ...all } = detail
  if (!isHidden) return all
  const { backfill: ___, ...shown } = all
  return { ...shown, anomalies: [], anomalyCount: 0 }
}
