import { z } from 'zod'

/** JSON as values have it: what a JSON number cannot carry exactly is text, times are ISO 8601, binary is base64. */
const profileValue = z.union([z.null(), z.boolean(), z.number(), z.string()])
export type ProfileValue = z.infer<typeof profileValue>

/**
 * A value and where it lies on the number line, null where it has no place there: numbers as doubles, dates and times as
 * seconds since 1970. Text longer than 256 characters is cut and ends with `…`.
 */
const placedValue = z.object({ value: profileValue, place: z.number().nullable() })
export type PlacedValue = z.infer<typeof placedValue>

/** `hash`: 64 bits as decimal text. Together with the value it tells values apart, also those that were cut. */
const countedValue = placedValue.extend({ hash: z.string(), count: z.int() })
export type CountedValue = z.infer<typeof countedValue>

/**
 * How places are spread: `buckets` of [key, count], ascending. The key of a place is its double as an integer in the same
 * order (`keyOf`), without its lowest `shift` bits.
 */
const spread = z.object({ shift: z.int(), buckets: z.array(z.tuple([z.string(), z.int()])) })
export type Spread = z.infer<typeof spread>

const values = z.discriminatedUnion('kind', [
  /** At most `mostValues` different values: each with its count, in the order of their hashes. */
  z.object({ kind: z.literal('each'), values: z.array(countedValue) }),
  /**
   * More values: sketches. `registers`: of HyperLogLog, base64. `shares`: counts by the first byte of the hash. `exact`: what was
   * counted when all rows were read at once; null after a merge.
   */
  z.object({
    kind: z.literal('many'),
    registers: z.string(),
    shares: z.array(z.int()),
    spread: spread.nullable(),
    exact: z
      .object({
        distinct: z.int(),
        quantiles: z.array(z.object({ fraction: z.number(), value: profileValue })),
        mostFrequent: z.array(z.object({ value: profileValue, count: z.int() })),
      })
      .nullable(),
  }),
])
export type ValuesState = z.infer<typeof values>

/**
 * Exact sums of finite numbers, as integers in decimal text. The unit of `sum` is `base` to the power of `exponent`, that of
 * `squares` is its square.
 */
const sums = z.object({ sum: z.string(), squares: z.string(), base: z.literal([2, 10]), exponent: z.int() })
export type Sums = z.infer<typeof sums>

/**
 * What one column holds, in a form that can be merged with the state of other rows. NaN and infinities are values, but are in
 * no extreme, sum, sign or spread.
 */
export const columnState = z.object({
  name: z.string(),
  dataType: z.string(),
  /** Tells which hash function was used: states of different ones cannot be merged. */
  hashedBy: z.string(),
  nulls: z.int(),
  /** Null: the column could not be read, and `error` says why. */
  known: z
    .object({
      /** Rows that are not NULL. */
      count: z.int(),
      /** Null where the type is not float. */
      notFinite: z.int().nullable(),
      least: placedValue.nullable(),
      greatest: placedValue.nullable(),
      /** Null where the type is not text. Lengths are in characters, `blank` counts text of white space only and empty text. */
      text: z
        .object({ empty: z.int(), blank: z.int(), minLength: z.int(), maxLength: z.int(), lengths: z.int() })
        .nullable(),
      /** Null where the type is not numeric. */
      number: z.object({ zeros: z.int(), negatives: z.int(), sums }).nullable(),
      values,
    })
    .nullable(),
  error: z.string().nullable(),
})
export type ColumnState = z.infer<typeof columnState>
/** A state of a column that could be read. */
export type KnownColumn = NonNullable<ColumnState['known']>

/** Above this number of different values, a state holds sketches instead of the values. */
export const mostValues = 1000
/** The quantiles and the number of most frequent values of a profile. */
export const profiledFractions = [0.05, 0.25, 0.5, 0.75, 0.95]
export const profiledTop = 10

/** The nearest rank of a fraction in whole percent: 5 % of 140 values is the 7th, which 0.05 * 140 exceeds. */
export function nearestRank(fraction: number, total: number): number {
  return Math.max(1, Math.ceil((Math.round(fraction * 100) * total) / 100))
}
