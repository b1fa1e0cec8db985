import type { DuckDBConnection, DuckDBValue } from '@duckdb/node-api'
import { raw } from '../../sql/fragment.ts'
import type { Sums } from '../../states/column-state.ts'
import type { LogicalType } from '../../types/logical-type.ts'
import { exactText } from '../values.ts'
import { read } from './database.ts'

/** The values of one column, in `v`, each with its count in `n`. */
export const groups = 'assay_profile_groups'

/** Numbers as integers times a power of two. `x`: SQL of the integer. `e`: SQL of the exponent. */
interface Integers {
  x: string
  /** Number of bits of the greatest magnitude. */
  bits: number
  e: string
  where: string
  unit: Pick<Sums, 'base' | 'exponent'>
}

/** The lowest exponent of a double, and the number of bits of its significand. */
const lowestExponent = -1074
const significandBits = 52
const hiddenBit = 2n ** BigInt(significandBits)

/** A double is its significand times a power of two (IEEE 754). Subnormal doubles have no hidden bit. */
function ofFloats(): Integers {
  const b = 'CAST(CAST(CAST(v AS DOUBLE) AS BIT) AS BIGINT)'
  const magnitude = `((b & ${hiddenBit - 1n}) + CASE WHEN (b >> ${significandBits}) & 2047 = 0 THEN 0 ELSE ${hiddenBit} END)`
  return {
    x: `CASE WHEN b < 0 THEN -${magnitude} ELSE ${magnitude} END`,
    bits: significandBits + 1,
    e: `greatest((b >> ${significandBits}) & 2047, 1) - 1`,
    where: `(SELECT ${b} AS b, n FROM ${groups} WHERE isfinite(v))`,
    unit: { base: 2, exponent: lowestExponent },
  }
}

const digitsOf = (value: DuckDBValue | undefined) => BigInt((exactText(value) ?? '0').replace('.', ''))

function ofIntegers(type: LogicalType, extremes: readonly (DuckDBValue | undefined)[]): Integers {
  const scale = type.kind === 'decimal' ? type.scale : 0
  const magnitudes = extremes.map(digitsOf).map((digits) => (digits < 0n ? -digits : digits))
  const bits = Math.max(...magnitudes.map((magnitude) => magnitude.toString(2).length))
  const integer = bits < 63 ? 'BIGINT' : 'HUGEINT'
  const isShort = type.kind === 'decimal' && type.precision + scale < 38
  const shifted = isShort
    ? `v * CAST(1${'0'.repeat(scale)} AS DECIMAL(${scale + 1}, 0))`
    : "replace(CAST(v AS VARCHAR), '.', '')"
  return {
    x: `CAST(${scale === 0 ? 'v' : shifted} AS ${integer})`,
    bits,
    e: '0',
    where: groups,
    unit: { base: 10, exponent: -scale },
  }
}

/** Bits per limb. The product of two limbs fits into 64 bits. */
const limbBits = 30

/**
 * Exact sums of the numbers and of their squares. Integers longer than a limb are summed limb by limb, and floats
 * separately for each exponent, so no sum exceeds 128 bits.
 */
export async function readSums(
  connection: DuckDBConnection,
  type: LogicalType,
  { distinct, count, finite }: { distinct: number; count: number; finite: number },
  extremes: readonly (DuckDBValue | undefined)[],
): Promise<Sums> {
  const { x, bits, e, where, unit } = type.kind === 'float' ? ofFloats() : ofIntegers(type, extremes)
  if (finite === 0) return { sum: '0', squares: '0', ...unit }
  const length = Math.ceil(bits / limbBits) || 1
  const limbs = Array.from({ length }, (_, index) => index)
  const times = (value: string) => (distinct === count ? value : `CAST(${value} AS HUGEINT) * n`)
  const limb = (index: number) =>
    length === 1 ? 'a' : `CAST((a >> ${limbBits * index}) & ${2 ** limbBits - 1} AS BIGINT)`
  const pairs = limbs.flatMap((one) => limbs.slice(one).map((other) => [one, other] as const))
  const inLimbs = `SELECT e, n, x, ${limbs.map((index) => `${limb(index)} AS l${index}`).join(', ')} FROM (SELECT ${e} AS e, n, x, abs(x) AS a FROM (SELECT *, ${x} AS x FROM ${where}))`
  const wanted = [
    ...limbs.map((index) => `sum(${times(`CASE WHEN x < 0 THEN -l${index} ELSE l${index} END`)})`),
    ...pairs.map(([one, other]) => `sum(${times(`l${one} * l${other}`)})`),
  ]
  const found = await read(connection, raw(`SELECT e, ${wanted.join(', ')} FROM (${inLimbs}) GROUP BY e`))
  let [sum, squares] = [0n, 0n]
  for (const row of found.getRows()) {
    const [exponent = 0n, ...parts] = row.map((value) => BigInt(String(value)))
    const linear = limbs.reduce((all, index) => all + ((parts[index] ?? 0n) << BigInt(limbBits * index)), 0n)
    const square = pairs.reduce((all, [one, other], index) => {
      const product = (parts[length + index] ?? 0n) << BigInt(limbBits * (one + other))
      return all + (one === other ? product : 2n * product)
    }, 0n)
    sum += linear << exponent
    squares += square << (2n * exponent)
  }
  return { sum: String(sum), squares: String(squares), ...unit }
}
