import { type Decimal, scaledText } from '../decimal.ts'

/**
 * A number in one form only: its sign, the place of its first digit that counts (0.5 has 0, 5 has 1, 50 has 2, 0.05 has -1), and its
 * digits from there to the last that is not 0. Two numbers are equal if their forms are, and compare as (sign; place; digits as text).
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

/**
 * SQL of the parts of that form, for a `text` that the engine takes for a finite number: blanks around it and `_` between digits count for
 * nothing. `known` is false where the text has no digits (`inf`); `place` is NULL where the exponent is out of all bounds.
 */
export function formSql(text: string): { known: string; sign: string; place: string; digits: string } {
  const plain = `replace(${text}, '_', '')`
  const whole = `regexp_extract(${plain}, '^[[:space:]]*[+-]?([0-9]*)', 1)`
  const all = `(${whole} || regexp_extract(${plain}, '\\.([0-9]*)', 1))`
  const exponent = `coalesce(TRY_CAST(nullif(regexp_extract(${plain}, '[eE]([+-]?[0-9]+)', 1), '') AS BIGINT), CASE WHEN contains(lower(${plain}), 'e') THEN NULL ELSE 0 END)`
  const digits = `trim(${all}, '0')`
  const leading = `(length(${all}) - length(ltrim(${all}, '0')))`
  const sign = `CASE WHEN ${digits} = '' THEN 0 WHEN regexp_matches(${plain}, '^[[:space:]]*-') THEN -1 ELSE 1 END`
  const known = `regexp_matches(${plain}, '[0-9]')`
  return { known, sign, place: `(length(${whole}) - ${leading} + ${exponent})`, digits }
}

/** The form as one text, for equality. */
export function keyOf({ sign, place, digits }: NumberForm): string {
  return sign === 0 ? '0' : `${sign}:${place}:${digits}`
}

/** SQL of `keyOf`; NULL where the text has no form. */
export function keySql(text: string): string {
  const { known, sign, place, digits } = formSql(text)
  return `CASE WHEN NOT ${known} THEN NULL WHEN ${digits} = '' THEN '0' ELSE CAST(${sign} AS VARCHAR) || ':' || CAST(${place} AS VARCHAR) || ':' || ${digits} END`
}
