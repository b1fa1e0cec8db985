/** An exact decimal: `digits` / 10^`scale`. */
export interface Decimal {
  digits: bigint
  scale: number
}

/** Maximum exponent of a bound. No column can contain a number with a larger one. */
const largestExponent = 400
/** Maximum length of the text of a bound, because the cost of parsing grows faster than the number of digits. */
const longestText = 2_000

/** Parses a number without rounding; null if it is not a finite number. */
export function parseDecimal(text: string): Decimal | null {
  if (text.length > longestText) return null
  const shape = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,6}))?$/.exec(text.trim())
  if (!shape) return null
  const [, sign, whole = '', fraction = '', exponent = '0'] = shape
  if (whole + fraction === '' || Math.abs(Number(exponent)) > largestExponent) return null
  const digits = BigInt(whole + fraction) * (sign === '-' ? -1n : 1n)
  const scale = fraction.length - Number(exponent)
  return scale < 0 ? { digits: digits * 10n ** BigInt(-scale), scale: 0 } : { digits, scale }
}

/** The floor of `value` x 10^`scale`, and whether it is exact. */
export function scaledFloor(value: Decimal, scale: number): { floor: bigint; exact: boolean } {
  if (value.scale <= scale) return { floor: value.digits * 10n ** BigInt(scale - value.scale), exact: true }
  const divisor = 10n ** BigInt(value.scale - scale)
  const quotient = value.digits / divisor
  const remainder = value.digits % divisor
  return { floor: remainder < 0n ? quotient - 1n : quotient, exact: remainder === 0n }
}

/** A whole number of units of 10^-`scale`, as a decimal literal. */
export function scaledText(value: bigint, scale: number): string {
  const sign = value < 0n ? '-' : ''
  const digits = (value < 0n ? -value : value).toString().padStart(scale + 1, '0')
  return scale === 0 ? `${sign}${digits}` : `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`
}
