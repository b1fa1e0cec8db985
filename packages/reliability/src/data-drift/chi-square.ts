/** How far two samples differ, and the probability that chance alone makes them differ as much. */
export interface TestResult {
  value: number
  pValue: number
}

/**
 * The chi-square test of two lists of counts over the same categories, as Cramér's V: 0 for equal shares, 1 for
 * disjoint categories. Categories that are zero in both lists do not count. `undefined` if a list is empty.
 */
export function cramersV(reference: readonly number[], current: readonly number[]): TestResult | undefined {
  const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0)
  const [n, m] = [sum(reference), sum(current)]
  if (n === 0 || m === 0) return undefined
  let statistic = 0
  let categories = 0
  for (const [index, a] of reference.entries()) {
    const b = current[index] ?? 0
    if (a + b === 0) continue
    categories += 1
    // (observed - expected)^2 / expected, summed over both cells.
    statistic += (a * m - b * n) ** 2 / (n * m * (a + b))
  }
  const pValue = categories < 2 ? 1 : upperGamma((categories - 1) / 2, statistic / 2)
  return { value: Math.sqrt(Math.min(1, statistic / (n + m))), pValue }
}

const precision = 1e-16
const maxTerms = 100_000

/** The regularized upper incomplete gamma function Q(a, x): the tail of chi-square with 2a degrees of freedom at 2x. */
function upperGamma(a: number, x: number): number {
  if (x <= 0) return 1
  const front = Math.exp(a * Math.log(x) - x - logGamma(a))
  return Math.min(1, Math.max(0, x < a + 1 ? 1 - front * series(a, x) : front * fraction(a, x)))
}

function series(a: number, x: number): number {
  let [term, sum] = [1 / a, 1 / a]
  for (let k = 1; k < maxTerms && term > sum * precision; k += 1) {
    term *= x / (a + k)
    sum += term
  }
  return sum
}

/** Lentz's method for the continued fraction, which converges above a + 1. */
function fraction(a: number, x: number): number {
  const least = 1e-300
  const orLeast = (value: number) => (Math.abs(value) < least ? least : value)
  let b = x + 1 - a
  let c = 1 / least
  let d = 1 / orLeast(b)
  let product = d
  for (let k = 1; k < maxTerms; k += 1) {
    const factor = -k * (k - a)
    b += 2
    d = 1 / orLeast(factor * d + b)
    c = orLeast(b + factor / c)
    const change = c * d
    product *= change
    if (Math.abs(change - 1) < precision * 10) break
  }
  return product
}

/** Coefficients of the Lanczos approximation with g = 7. */
const lanczos = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
]

/** The logarithm of the gamma function, for `z` of at least 0.5. */
function logGamma(z: number): number {
  const x = z - 1
  const sum = lanczos.reduce(
    (all, coefficient, index) => (index === 0 ? coefficient : all + coefficient / (x + index)),
    0,
  )
  const t = x + 7.5
  return Math.log(2 * Math.PI) / 2 + (x + 0.5) * Math.log(t) - t + Math.log(sum)
}
