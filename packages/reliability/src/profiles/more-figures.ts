import {
  type KnownColumn,
  type LogicalType,
  type ProfileValue,
  profiledPatterns,
  type Sums,
  type TextType,
  textTypes,
} from '@assay/data-engine'
import { numberOf, parseExact } from '../exact.ts'
import { nearestDouble } from './exact-sums.ts'
import { type Bin, shapeFigures } from './shape.ts'

/**
 * Further statistics of one column. `count`: rows that are not NULL. `unique`: values that occur once; null if a merge
 * of sketches alone gave more than `maxValues` values. `duplicates`: values minus different values. Statistics that a type cannot have
 * are null.
 */
export interface MoreFigures {
  count: number | null
  nullPercentage: number | null
  empty: number | null
  blank: number | null
  unique: number | null
  duplicates: number | null
  sum: ProfileValue
  variance: number | null
  skewness: number | null
  kurtosis: number | null
  zeros: number | null
  negatives: number | null
  meanLength: number | null
  minWords: number | null
  maxWords: number | null
  trueCount: number | null
  falseCount: number | null
  interquartileRange: number | null
  histogram: Bin[] | null
  patterns: { pattern: string; count: number }[] | null
  inferredType: TextType | null
  typeCounts: { type: TextType; count: number }[] | null
}

/** The statistics of a column that could not be read. */
export const noMoreFigures: MoreFigures = {
  ...{ count: null, nullPercentage: null, empty: null, blank: null, unique: null, duplicates: null, sum: null },
  ...{ variance: null, skewness: null, kurtosis: null, zeros: null, negatives: null, meanLength: null },
  ...{ minWords: null, maxWords: null, trueCount: null, falseCount: null, interquartileRange: null },
  ...{ histogram: null, patterns: null, inferredType: null, typeCounts: null },
}

/** A double represents every decimal of up to 15 significant digits without loss. */
const exactDigits = 15

/** The sum: a number if a double is exact, else text. A sum of floats is the nearest double. */
function sumOf({ sum, base, exponent }: Sums): ProfileValue {
  if (base === 2) {
    const nearest = nearestDouble({ numerator: BigInt(sum), denominator: 2n ** BigInt(-exponent) })
    return Number.isFinite(nearest) ? nearest : String(nearest)
  }
  const digits = sum.replace('-', '').padStart(1 - exponent, '0')
  const whole = digits.slice(0, digits.length + exponent)
  const text = `${sum.startsWith('-') ? '-' : ''}${whole}${exponent === 0 ? '' : `.${digits.slice(exponent)}`}`
  const isExact = exponent === 0 ? Number.isSafeInteger(Number(sum)) : digits.replace(/^0+/, '').length <= exactDigits
  return isExact ? Number(text) : text
}

function inferredOf(counts: readonly { type: TextType; count: number }[]): TextType | null {
  const types = new Set(counts.map(({ type }) => type))
  const isWithin = (...allowed: TextType[]) => [...types].every((type) => allowed.includes(type))
  if (types.size === 0) return null
  if (types.size === 1) return counts[0]?.type ?? null
  if (isWithin('INTEGER', 'DECIMAL')) return 'DECIMAL'
  return isWithin('DATE', 'TIMESTAMP') ? 'TIMESTAMP' : 'TEXT'
}

function ofText(text: KnownColumn['text'], count: number): Partial<MoreFigures> {
  if (text === null) return {}
  const { empty, blank, lengths, minWords, maxWords, patterns, types } = text
  const typeCounts = textTypes
    .map((type) => ({ type, count: types[type] }))
    .filter((one) => one.count > 0)
    .sort((one, other) => other.count - one.count)
  const frequent = patterns?.toSorted((one, other) => other.count - one.count).slice(0, profiledPatterns) ?? []
  const words = { meanLength: lengths / count, minWords, maxWords }
  return { empty, blank, ...words, patterns: frequent, inferredType: inferredOf(typeCounts), typeCounts }
}

function ofBooleans({ values }: KnownColumn): Partial<MoreFigures> {
  const countOf = (wanted: boolean) =>
    values.kind === 'each' ? (values.values.find(({ value }) => value === wanted)?.count ?? 0) : null
  return { trueCount: countOf(true), falseCount: countOf(false) }
}

function uniqueOf({ values }: KnownColumn): number | null {
  return values.kind === 'each'
    ? values.values.filter(({ count }) => count === 1).length
    : (values.exact?.unique ?? null)
}

/** The difference of two quartiles, as the nearest double. */
export function rangeBetween(low: ProfileValue | undefined, high: ProfileValue | undefined): number | null {
  const [from, to] = [parseExact(String(low)), parseExact(String(high))]
  if (from === undefined || to === undefined) return null
  return numberOf({
    numerator: to.numerator * from.denominator - from.numerator * to.denominator,
    denominator: to.denominator * from.denominator,
  })
}

/** The statistics of a column that could be read. `distinct` and `quartiles` come from its other statistics. */
export function moreFigures(
  { nulls, known, type }: { nulls: number; known: KnownColumn; type: LogicalType },
  {
    distinct,
    variance,
    quartiles,
  }: Pick<MoreFigures, 'variance'> & {
    distinct: number | null
    quartiles: readonly [ProfileValue | undefined, ProfileValue | undefined]
  },
): MoreFigures {
  const { count, number, text } = known
  const rows = count + nulls
  const finite = count - (known.notFinite ?? 0)
  return {
    ...noMoreFigures,
    count,
    nullPercentage: rows === 0 ? null : (100 * nulls) / rows,
    unique: uniqueOf(known),
    duplicates: distinct === null ? null : count - distinct,
    ...(number === null
      ? {}
      : {
          sum: finite === 0 ? null : sumOf(number.sums),
          variance,
          ...{ zeros: number.zeros, negatives: number.negatives },
          interquartileRange: rangeBetween(...quartiles),
          ...shapeFigures(known),
        }),
    ...ofText(text, count),
    ...(type.kind === 'boolean' ? ofBooleans(known) : {}),
  }
}
