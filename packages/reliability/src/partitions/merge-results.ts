import type { Metric, MetricResult } from '@assay/data-engine'
import { compareExact, parseExact } from '../exact.ts'

type Value = Extract<MetricResult, { kind: 'value' }>

/**
 * Merges the results of metrics over two parts of the rows into results over all rows. `undefined` if one of them cannot
 * be computed; then all rows must be read. Call it only for metrics for which `whyNotMerged` returns `undefined`. Pure.
 */
export function mergeResults(
  metrics: readonly Metric[],
  one: readonly MetricResult[],
  other: readonly MetricResult[],
): MetricResult[] | undefined {
  const merged = metrics.flatMap((metric) => {
    const [left, right] = [one, other].map((results) => results.find(({ id }) => id === metric.id))
    return (left && right && mergedResult(metric, left, right)) ?? []
  })
  return merged.length === metrics.length && one.length === merged.length && other.length === merged.length
    ? merged
    : undefined
}

function mergedResult(metric: Metric, one: MetricResult, other: MetricResult): MetricResult | undefined {
  if (one.kind === 'rows' && other.kind === 'rows')
    return { ...one, scanned: one.scanned + other.scanned, failed: one.failed + other.failed }
  if (one.kind !== 'value' || other.kind !== 'value') return undefined
  const scanned = one.scanned + other.scanned
  if (one.value === null || other.value === null) return { ...(one.value === null ? other : one), scanned }
  const chosen = mergedValue(metric, { ...one, value: one.value }, { ...other, value: other.value })
  return chosen === undefined ? undefined : { ...chosen, scanned }
}

type Known = Value & { value: string }

function mergedValue(metric: Metric, one: Known, other: Known): Value | undefined {
  if (metric.kind === 'newest') return greater(one, other)
  if (metric.kind !== 'aggregate' && metric.kind !== 'aggregate-expression') return undefined
  switch (metric.fn) {
    case 'COUNT':
    case 'SUM': {
      const value = sumOf(one.value, other.value)
      return value === undefined ? undefined : { ...one, value }
    }
    case 'MAX':
      return greater(one, other)
    case 'MIN': {
      const most = greater(one, other)
      return most && (most === one ? other : one)
    }
    case 'AVG':
      return undefined
    default:
      return metric.fn satisfies never
  }
}

const decimal = /^(-?)(\d+)(?:\.(\d+))?$/
const instant = /^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d+)?)?Z?$/

/** `undefined` if the form of the values is unknown. */
function greater(one: Known, other: Known): Known | undefined {
  const order = orderOf(one, other)
  return order === undefined ? undefined : order >= 0 ? one : other
}

function orderOf(one: Known, other: Known): number | undefined {
  if (one.isText === true && other.isText === true)
    return Buffer.compare(Buffer.from(one.value), Buffer.from(other.value))
  if (one.isText === true || other.isText === true) return undefined
  const [left, right] = [parseExact(one.value), parseExact(other.value)]
  if (left !== undefined && right !== undefined) return compareExact(left, right)
  const [a, b] = [one.value, other.value].map((text) => (instant.test(text) ? text.replace('Z', '') : undefined))
  return a === undefined || b === undefined ? undefined : a < b ? -1 : a > b ? 1 : 0
}

/** The sum of two exact numbers of one type, with as many decimals as the engine would write. */
function sumOf(one: string, other: string): string | undefined {
  const [left, right] = [decimal.exec(one), decimal.exec(other)]
  if (left === null || right === null) return undefined
  const places = Math.max(left[3]?.length ?? 0, right[3]?.length ?? 0)
  const scaled = ([, sign = '', whole = '', fraction = '']: RegExpExecArray) =>
    BigInt(`${sign}${whole}${fraction.padEnd(places, '0')}`)
  const sum = scaled(left) + scaled(right)
  const digits = String(sum < 0n ? -sum : sum).padStart(places + 1, '0')
  const point = digits.length - places
  return `${sum < 0n ? '-' : ''}${digits.slice(0, point)}${places === 0 ? '' : `.${digits.slice(point)}`}`
}
