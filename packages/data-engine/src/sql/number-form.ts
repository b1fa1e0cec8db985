import { type Decimal, scaledText } from './decimal.ts'

/**
 * The normal form of a number: its sign, the place of its first significant digit (0.5 has 0, 5 has 1, 50 has 2, 0.05
 * has -1), and its significant digits. Two numbers are equal if their forms are equal. Forms are ordered by sign, then
 * by place, then by digits as text.
 */
export interface NumberForm {
  sign: -1 | 0 | 1
  place: number
  digits: string
}

export function formOf(value: Decimal): NumberForm {
  const text = scaledText(value.digits < 0n ? -value.digits : value.digits, value.scale)
  const [whole = '', fraction = ''] = text.split('.')
  const all = whole + fraction
  const first = all.search(/[1-9]/)
  if (first < 0) return { sign: 0, place: 0, digits: '' }
  return { sign: value.digits < 0n ? -1 : 1, place: whole.length - first, digits: all.slice(first).replace(/0+$/, '') }
}

/** The form as one text, for equality. */
export function keyOf({ sign, place, digits }: NumberForm): string {
  return sign === 0 ? '0' : `${sign}:${place}:${digits}`
}
