import { compareExact, type Exact, exactHundred } from './exact.ts'

/** 100 x (scanned - failed) / scanned. `scanned` must be above zero; both are whole numbers of rows. */
export function passingPercentage(scanned: number, failed: number): Exact {
  return { numerator: 100n * (BigInt(scanned) - BigInt(failed)), denominator: BigInt(scanned) }
}

const tenThousand = 10_000n

const floorDivide = (numerator: bigint, denominator: bigint): bigint => {
  const quotient = numerator / denominator
  return numerator % denominator < 0n ? quotient - 1n : quotient
}

const inTenThousandths = (units: bigint): Exact => ({ numerator: units, denominator: tenThousand })

/**
 * Rounds an exact percentage to four decimals, half up, but never across a threshold (`sideOf`) and never up to 100. If
 * rounding would cross a threshold, returns the neighbour on the original side.
 */
export function shownPercentage(exact: Exact, sideOf: (percentage: Exact) => unknown): number {
  const scaled = exact.numerator * tenThousand
  const floor = floorDivide(scaled, exact.denominator)
  const rounded = floorDivide(2n * scaled + exact.denominator, 2n * exact.denominator)
  const ceiling = scaled % exact.denominator === 0n ? floor : floor + 1n
  const side = sideOf(exact)
  const isHundred = compareExact(exact, exactHundred) === 0
  const fits = (units: bigint) => {
    const shown = inTenThousandths(units)
    return sideOf(shown) === side && (compareExact(shown, exactHundred) === 0) === isHundred
  }
  return Number([rounded, floor, ceiling].find(fits) ?? floor) / 10_000
}
