/** An exact decimal: `digits` / 10^`scale`. */
export interface Decimal {
  digits: bigint
  scale: number
}

/** Numbers written with an exponent beyond this are no bounds that a column could hold. */
const largestExponent = 400
/** Longer texts are no bounds either; the cost of reading digits grows faster than their number. */
const longestText = 2_000

/** Reads a number as it is written, without rounding; null: it is no finite number. */
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

/** `value` x 10^`scale` as a whole number, towards minus infinity, and whether that is exact. */
export function scaledFloor(value: Decimal, scale: number): { floor: bigint; exact: boolean } {
  if (value.scale <= scale) return { floor: value.digits * 10n ** BigInt(scale - value.scale), exact: true }
  const divisor = 10n ** BigInt(value.scale - scale)
  const quotient = value.digits / divisor
  const remainder = value.digits % divisor
  return { floor: remainder < 0n ? quotient - 1n : quotient, exact: remainder === 0n }
}

/** A whole number that counts 10^-`scale`, as a decimal literal. */
export function scaledText(value: bigint, scale: number): string {
  const sign = value < 0n ? '-' : ''
  const digits = (value < 0n ? -value : value).toString().padStart(scale + 1, '0')
  return scale === 0 ? `${sign}${digits}` : `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`
}
