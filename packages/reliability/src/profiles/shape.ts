import { binOf, histogramBins, type KnownColumn, positionOf, roundedShape, type ShapeState } from '@assay/data-engine'

/** A bin of a histogram: from `from` (inclusive) up to `to`, which only the last bin includes. */
export interface Bin {
  from: number
  to: number
  count: number
}

interface Point {
  position: number
  count: number
}

/** Finite numbers with their counts: exact for few values, else the middles of buckets. */
function pointsOf({ values }: KnownColumn): Point[] {
  if (values.kind === 'each')
    return values.values.flatMap(({ position, count }) => (position === null ? [] : [{ position, count }]))
  const { shift, buckets } = values.spread ?? { shift: 0, buckets: [] }
  return buckets.map(([key, count]) => {
    const [low, high] = [BigInt(key) << BigInt(shift), ((BigInt(key) + 1n) << BigInt(shift)) - 1n]
    return { position: positionOf(low) / 2 + positionOf(high) / 2, count }
  })
}

const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0)

function shapeOfPoints(points: readonly Point[], least: number, greatest: number): ShapeState {
  const bins = Array.from({ length: histogramBins }, () => 0)
  const half = greatest / 4 - least / 4
  if (!(half > 0)) {
    bins[0] = sum(points.map(({ count }) => count))
    return { bins, skewness: null, kurtosis: null }
  }
  const within = points.map(({ position, count }) => ({
    count,
    position: Math.min(greatest, Math.max(least, position)),
  }))
  for (const { position, count } of within) {
    const bin = binOf(position, least, greatest)
    bins[bin] = (bins[bin] ?? 0) + count
  }
  const total = sum(within.map(({ count }) => count))
  const distances = within.map(({ position, count }) => ({
    count,
    d: (position / 2 - (least / 4 + greatest / 4)) / half,
  }))
  const mean = sum(distances.map(({ d, count }) => count * d)) / total
  const moment = (power: number) => sum(distances.map(({ d, count }) => count * (d - mean) ** power)) / total
  const [second, third, fourth] = [moment(2), moment(3), moment(4)]
  if (!(second > 0)) return { bins, skewness: null, kurtosis: null }
  return { bins, skewness: roundedShape(third / second ** 1.5), kurtosis: roundedShape(fourth / second ** 2 - 3) }
}

/** The shape of the finite numbers of a column; null if it has none. After a merge of many values it is an estimate. */
export function shapeFigures(known: KnownColumn): {
  histogram: Bin[] | null
  skewness: number | null
  kurtosis: number | null
} {
  const [least, greatest] = [known.least?.position ?? null, known.greatest?.position ?? null]
  if (known.number === null || least === null || greatest === null)
    return { histogram: null, skewness: null, kurtosis: null }
  const exact = known.values.kind === 'many' ? known.values.exact?.shape : null
  const { bins, skewness, kurtosis } = exact ?? shapeOfPoints(pointsOf(known), least, greatest)
  if (least === greatest) return { histogram: [{ from: least, to: greatest, count: sum(bins) }], skewness, kurtosis }
  const edge = (index: number) =>
    index === histogramBins ? greatest : 2 * (least / 2 + (greatest / 2 - least / 2) * (index / histogramBins))
  return {
    histogram: bins.map((count, index) => ({ from: edge(index), to: edge(index + 1), count })),
    skewness,
    kurtosis,
  }
}
