import type { DriftMetric } from '@assay/contracts'
import { type ColumnState, parseType } from '@assay/data-engine'
import { kindOfType } from '../column-types.ts'
import { type ColumnMetric, hasMetric, metricOf, type ReadColumn } from '../profiles/column-metric.ts'
import type { Unmeasured } from './measures.ts'

/** A metric now and in the baseline, as text, and its change in percent. */
export interface Changed {
  value: string
  referenceValue: string
  driftPercent: number
}

/** The change of a metric against the baseline: 100 * |now - then| / |then|; if `then` is 0, 0 or 100. Pure. */
export function changeOf(
  metric: DriftMetric,
  { reference, current }: { reference: ReadColumn; current: ReadColumn },
): Changed | Unmeasured {
  if (metric === 'DATA_TYPE') return typeChange(reference, current)
  if (metric === 'CASE_COUNTS') return caseChange(reference, current)
  const [then, now] = [metricOf(metric, reference), metricOf(metric, current)]
  if (now === null) return { problem: `There is no ${metric} of this column: it ${whyNone(metric, current)}.` }
  if (then === null) return { problem: `The baseline has no ${metric}: it ${whyNone(metric, reference)}.` }
  const driftPercent = then === 0 ? (now === 0 ? 0 : 100) : (100 * Math.abs(now - then)) / Math.abs(then)
  if (!Number.isFinite(driftPercent)) return { problem: `The change of ${metric} is too large for a number.` }
  return { value: String(now), referenceValue: String(then), driftPercent }
}

/** Why a column has no metric. Pure. */
function whyNone(metric: ColumnMetric, { dataType }: ReadColumn): string {
  if (hasMetric(dataType, metric)) return 'has no values'
  const is = kindOfType(dataType) === 'text' ? `text (${dataType})` : dataType
  return `is ${is}, and ${metric} needs ${metric === 'LENGTH' ? 'text' : 'numbers'}`
}

/** Whether the type has changed: 100 if it has, else 0. Pure. */
export function typeChange(reference: ColumnState, current: ColumnState): Changed {
  const isSame = JSON.stringify(parseType(reference.dataType)) === JSON.stringify(parseType(current.dataType))
  return { value: current.dataType, referenceValue: reference.dataType, driftPercent: isSame ? 0 : 100 }
}

const cases = ['upper', 'lower', 'mixed'] as const

/** Of all cases, the one whose share changed most, with its shares in percent. */
function caseChange(reference: ReadColumn, current: ReadColumn): Changed | Unmeasured {
  const percentages = ({ known: { text, count } }: ReadColumn) =>
    cases.map((name) => (text === null || count === 0 ? 0 : (100 * text[name]) / count))
  const [then, now] = [percentages(reference), percentages(current)]
  const changes = cases.map((name, index) => {
    const [before = 0, after = 0] = [then[index], now[index]]
    return { name, before, after, by: Math.abs(after - before) }
  })
  const [most] = changes.sort((a, b) => b.by - a.by)
  if (most === undefined) return { problem: 'The column has no text.' }
  const text = (percentage: number) => `${Number(percentage.toFixed(4))} % ${most.name}`
  return { value: text(most.after), referenceValue: text(most.before), driftPercent: most.by }
}
