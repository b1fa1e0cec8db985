import type { ItemRecord } from '@assay/contracts'
import type { RangedOutcome } from '../item-outcome.ts'
import type { PolicyScore } from '../score-policy.ts'
import { type Figure, figuresOf, judgedFigure } from '../series/item-figures.ts'
import { anyValue, type JudgedPoint } from '../series/judged-point.ts'
import type { SeriesKey } from '../series/series-key.ts'

/** The values of an item. Its threshold judges one of them. Pure. */
export function itemPoints(
  item: ItemRecord,
  outcome: RangedOutcome,
  keyOf: (figure: Figure) => SeriesKey | null,
): JudgedPoint[] {
  const fired = outcome.verdict !== 'SUCCESSFUL'
  const judged = judgedFigure(item)
  return figuresOf(item, outcome).map(({ figure, value }) => ({
    ...{ itemId: item.id, metric: figure, columnName: item.columnName, key: keyOf(figure), value },
    ...(figure === judged ? { ...anyValue, ...outcome.range, fired } : { ...anyValue, fired: false }),
  }))
}

/** The score of a policy. It decides the verdict only if `verdictBy` is SCORE. Absent if no item was measured. Pure. */
export function scorePoints(
  { figure: value, range, verdict }: PolicyScore,
  { verdictBy }: { verdictBy: 'ITEMS' | 'SCORE' },
  key: SeriesKey | null,
): JudgedPoint[] {
  const fired = verdictBy === 'SCORE' && verdict !== 'SUCCESSFUL'
  return value === null ? [] : [{ itemId: null, metric: 'SCORE', columnName: null, key, value, ...range, fired }]
}
