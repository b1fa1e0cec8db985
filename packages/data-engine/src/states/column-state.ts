import { z } from 'zod'

/**
 * JSON in the form of values: text if a JSON number cannot represent it exactly, ISO 8601 for times, base64 for binary.
 */
const profileValue = z.union([z.null(), z.boolean(), z.number(), z.string()])
export type ProfileValue = z.infer<typeof profileValue>

/**
 * A value and its position on the number line: numbers as doubles, dates and times as seconds since 1970; null for
 * other types. Text longer than 256 characters is truncated and ends with `…`.
 */
const positionedValue = z.object({ value: profileValue, position: z.number().nullable() })
export type PositionedValue = z.infer<typeof positionedValue>

/** `hash`: 64 bits as decimal text. Hash and value together identify a value, even if it was truncated. */
const countedValue = positionedValue.extend({ hash: z.string(), count: z.int() })
export type CountedValue = z.infer<typeof countedValue>

/**
 * The distribution of positions: `buckets` of [key, count], ascending. The key of a position is its double as an
 * integer in the same order (`keyOf`), without its lowest `shift` bits.
 */
export const spread = z.object({ shift: z.int(), buckets: z.array(z.tuple([z.string(), z.int()])) })
export type Spread = z.infer<typeof spread>

/**
 * `bins`: counts in `histogramBins` bins of equal width between the extremes. `skewness` and `kurtosis` are of the
 * population; `kurtosis` is the excess over 3. Both are null if all values are equal.
 */
const shape = z.object({
  bins: z.array(z.int()),
  skewness: z.number().nullable(),
  kurtosis: z.number().nullable(),
})
export type ShapeState = z.infer<typeof shape>

const exactValues = z.object({
  distinct: z.int(),
  /** Number of values that occur once. */
  unique: z.int(),
  /** The shape of the finite numbers; null if the type is not numeric, or there are none. */
  shape: shape.nullable(),
  quantiles: z.array(z.object({ fraction: z.number(), value: profileValue })),
  mostFrequent: z.array(z.object({ value: profileValue, count: z.int() })),
})
export type ExactValues = z.infer<typeof exactValues>

const values = z.discriminatedUnion('kind', [
  /** At most `maxValues` distinct values, each with its count, in the order of their hashes. */
  z.object({ kind: z.literal('each'), values: z.array(countedValue) }),
  /**
   * Sketches, for columns with more distinct values. `registers`: registers of HyperLogLog, base64. `shares`: counts by
   * the first byte of the hash. `exact`: exact results from all values; null after a merge of
   * sketches alone.
   */
  z.object({
    kind: z.literal('many'),
    registers: z.string(),
    shares: z.array(z.int()),
    spread: spread.nullable(),
    exact: exactValues.nullable(),
  }),
])
export type ValuesState = z.infer<typeof values>

/**
 * Exact sums of finite numbers, as integers in decimal text. The unit of `sum` is `base` to the power of `exponent`;
 * the unit of `squares` is its square.
 */
const sums = z.object({ sum: z.string(), squares: z.string(), base: z.literal([2, 10]), exponent: z.int() })
export type Sums = z.infer<typeof sums>

/** The types that a text can look like, from the most special to the most general. */
export const textTypes = ['BOOLEAN', 'INTEGER', 'DECIMAL', 'DATE', 'TIMESTAMP', 'UUID', 'TEXT'] as const
export type TextType = (typeof textTypes)[number]

/**
 * The content of one column, in a form that can be merged with the state of other rows. NaN and infinities count as
 * values, but not in extremes, sums, signs and spread.
 */
export const columnState = z.object({
  name: z.string(),
  dataType: z.string(),
  /** Identifies the hash function. States with different hash functions cannot be merged. */
  hashedBy: z.string(),
  nulls: z.int(),
  /** Null if the column could not be read; `error` says why. */
  known: z
    .object({
      /** Number of rows that are not NULL. */
      count: z.int(),
      /** Null unless the type is float. */
      notFinite: z.int().nullable(),
      least: positionedValue.nullable(),
      greatest: positionedValue.nullable(),
      /**
       * Null unless the type is text. Lengths are in characters. `blank` counts empty text and text that is only white
       * space. `upper` and `lower` count text whose letters are all of one case; `mixed` counts text with both.
       */
      text: z
        .object({
          empty: z.int(),
          blank: z.int(),
          minLength: z.int(),
          maxLength: z.int(),
          lengths: z.int(),
          upper: z.int(),
          lower: z.int(),
          mixed: z.int(),
          /** Words are separated by white space. */
          minWords: z.int(),
          maxWords: z.int(),
          /** Counts by the form of the text, sorted by form; null if there are more than `maxPatterns` forms. */
          patterns: z.array(z.object({ pattern: z.string(), count: z.int() })).nullable(),
          /** Counts of text that is not blank, by the type that the text looks like. */
          types: z.record(z.enum(textTypes), z.int()),
        })
        .nullable(),
      /** Null unless the type is numeric. */
      number: z.object({ zeros: z.int(), negatives: z.int(), sums }).nullable(),
      values,
    })
    .nullable(),
  error: z.string().nullable(),
})
export type ColumnState = z.infer<typeof columnState>
/** The state of a column that could be read. */
export type KnownColumn = NonNullable<ColumnState['known']>

/**
 * What merged states cannot say of a column, computed from all its values. `exact`: null if there are at most `maxValues`
 * different values, because a state holds them.
 */
export type WholeColumn = Pick<KnownColumn, 'least' | 'greatest'> & { exact: ExactValues | null }

/** Maximum number of distinct values in a state. With more, the state has sketches instead of the values. */
export const maxValues = 1000
/** The quantiles and the number of most frequent values of a profile. */
export const profiledFractions = [0.05, 0.25, 0.5, 0.75, 0.95]
export const profiledTop = 20
export const histogramBins = 20
/** The number of most frequent patterns in a profile, and the maximum number of patterns in a state. */
export const profiledPatterns = 5
export const maxPatterns = 1000

/**
 * The bin of a value between `least` and `greatest`, which differ. Computed with halved distances, because the width
 * may exceed all doubles.
 */
export function binOf(value: number, least: number, greatest: number): number {
  const share = (value / 2 - least / 2) / (greatest / 2 - least / 2)
  return Math.min(histogramBins - 1, Math.floor(share * histogramBins))
}

const shapeDigits = 12

/** Skewness or kurtosis without the digits that depend on rounding: of symmetric values, the skewness is 0. */
export function roundedShape(value: number): number {
  return Number(Math.abs(value) < 10 ** -shapeDigits ? 0 : value.toPrecision(shapeDigits))
}

/**
 * The nearest rank of a fraction, computed in whole percent: 5 % of 140 values is the 7th, but 0.05 * 140 is slightly
 * more than 7.
 */
export function nearestRank(fraction: number, total: number): number {
  return Math.max(1, Math.ceil((Math.round(fraction * 100) * total) / 100))
}
