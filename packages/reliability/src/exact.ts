/** An exact fraction; `denominator` is positive. Verdicts never depend on binary floating point. */
export interface Exact {
  readonly numerator: bigint
  readonly denominator: bigint
}

/** The values of a measured text. */
export type Measured = Exact | 'NaN' | 'Infinity' | '-Infinity'

const decimalForm = /^([+-]?)(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d{1,5}))?$|^([+-]?)\.(\d+)(?:[eE]([+-]?\d{1,5}))?$/
/**
 * Maximum exponent. Doubles reach about 10^308; a number with a larger exponent is not a measurement, and its digits would
 * use too much memory.
 */
const widestExponent = 5_000
/** Maximum length of a number: the cost of parsing grows faster than the length. */
const longestText = 10_000

/** Reads `12`, `-0.50`, `1e-7` without loss; `undefined` if the text is not a decimal number. */
export function parseExact(text: string): Exact | undefined {
  if (text.length > longestText) return undefined
  const match = decimalForm.exec(text.trim())
  if (match === null) return undefined
  const fraction = match[3] ?? match[6] ?? ''
  const exponent = Number(match[4] ?? match[7] ?? 0) - fraction.length
  if (Math.abs(exponent) > widestExponent) return undefined
  const digits = BigInt(`${match[2] ?? ''}${fraction}`)
  const signed = (match[1] ?? match[5]) === '-' ? -digits : digits
  return exponent >= 0
    ? { numerator: signed * 10n ** BigInt(exponent), denominator: 1n }
    : { numerator: signed, denominator: 10n ** BigInt(-exponent) }
}

/** Like `parseExact`, and also reads NaN and the infinities in the forms of all engines. */
export function parseMeasured(text: string): Measured | undefined {
  if (/^[+-]?nan$/i.test(text)) return 'NaN'
  const infinite = /^([+-]?)inf(?:inity)?$/i.exec(text)
  if (infinite !== null) return infinite[1] === '-' ? '-Infinity' : 'Infinity'
  return parseExact(text)
}

/** The exact value of the shortest decimal form of `value`: for 99.9 it is 999/10. `value` must be finite. */
export function exactOf(value: number): Exact {
  const exact = parseExact(String(value))
  if (exact === undefined) throw new RangeError(`${value} is not a finite number.`)
  return exact
}

export const exactZero: Exact = { numerator: 0n, denominator: 1n }
export const exactHundred: Exact = { numerator: 100n, denominator: 1n }

/** Negative, zero or positive, as `a` is less than, equal to or greater than `b`. */
export function compareExact(a: Exact, b: Exact): number {
  const difference = a.numerator * b.denominator - b.numerator * a.denominator
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

/** Like `compareExact`; `undefined` if `a` is NaN. */
export function compareMeasured(a: Measured, b: Exact): number | undefined {
  if (a === 'NaN') return undefined
  if (a === 'Infinity') return 1
  if (a === '-Infinity') return -1
  return compareExact(a, b)
}

export function addExact(a: Exact, b: Exact): Exact {
  return {
    numerator: a.numerator * b.denominator + b.numerator * a.denominator,
    denominator: a.denominator * b.denominator,
  }
}

export function multiplyExact(a: Exact, b: Exact): Exact {
  return { numerator: a.numerator * b.numerator, denominator: a.denominator * b.denominator }
}

/** `b` must not be zero. */
export function divideExact(a: Exact, b: Exact): Exact {
  const numerator = a.numerator * b.denominator
  const denominator = a.denominator * b.numerator
  return denominator < 0n ? { numerator: -numerator, denominator: -denominator } : { numerator, denominator }
}

/** The nearest double, for fractions of any length. */
export function numberOf({ numerator, denominator }: Exact): number {
  const [n, d] = [Number(numerator), Number(denominator)]
  return Number.isFinite(n) && Number.isFinite(d) ? n / d : Number(numerator / denominator)
}
