import type { Exact } from '../exact.ts'

/** Maximum number of decimals of a number without a finite decimal form, such as the percentage 200/3. */
const decimals = 20
/** Maximum length of a stored number. No measurement needs longer ones, and their sums would use too much memory. */
const longestFigure = 1_000

/**
 * The text in which a measured number is stored and compared: `12`, or `1250e-2` for 12.5. Decimal numbers stay exact;
 * other fractions are rounded to 20 decimals, so that their sums stay short.
 */
export function figureOf({ numerator, denominator }: Exact): string {
  const digits = String(denominator)
  if (/^10*$/.test(digits)) return decimalText(numerator, digits.length - 1)
  const scaled = 2n * numerator * 10n ** BigInt(decimals) + denominator
  const floor = scaled / (2n * denominator)
  return decimalText(scaled % (2n * denominator) < 0n ? floor - 1n : floor, decimals)
}

/** Like `figureOf`; returns `undefined` for a number that is too long to store. */
export function keptFigure(value: Exact): string | undefined {
  const text = figureOf(value)
  return text.length > longestFigure ? undefined : text
}

/** Parses a text of `figureOf`. */
export function exactOfFigure(text: string): Exact {
  const { digits, scale } = partsOf(text)
  return { numerator: digits, denominator: 10n ** BigInt(scale) }
}

/** The exact sum of texts of `figureOf`. */
export function sumOfFigures(figures: readonly string[]): string {
  let [sum, scale] = [0n, 0]
  for (const figure of figures) {
    const one = partsOf(figure)
    const common = Math.max(scale, one.scale)
    sum = sum * 10n ** BigInt(common - scale) + one.digits * 10n ** BigInt(common - one.scale)
    scale = common
  }
  return decimalText(sum, scale)
}

function partsOf(figure: string): { digits: bigint; scale: number } {
  const [digits = '', scale = '0'] = figure.split('e-')
  return { digits: BigInt(digits), scale: Number(scale) }
}

function decimalText(digits: bigint, scale: number): string {
  let [left, places] = [digits, scale]
  while (places > 0 && left % 10n === 0n) [left, places] = [left / 10n, places - 1]
  return places === 0 ? String(left) : `${left}e-${places}`
}
