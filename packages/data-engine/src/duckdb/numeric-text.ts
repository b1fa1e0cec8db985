import { type Decimal, scaledText } from '../sql/decimal.ts'
import type { Side } from '../sql/dialect.ts'
import { formOf } from '../sql/number-form.ts'
import { textLiteral } from '../sql/quote.ts'

/**
 * SQL of the parts of a number's form, for a `text` that the engine parses as a finite number. Ignores surrounding
 * blanks and `_` between digits. `known`: false if the text has no digits (`inf`). `place`: NULL if the exponent is
 * beyond all bounds.
 */
function formSql(text: string): { known: string; sign: string; place: string; digits: string } {
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

/** SQL of `keyOf`; NULL if the text is not a number. */
export function keySql(text: string): string {
  const { known, sign, place, digits } = formSql(text)
  return `CASE WHEN NOT ${known} THEN NULL WHEN ${digits} = '' THEN '0' ELSE CAST(${sign} AS VARCHAR) || ':' || CAST(${place} AS VARCHAR) || ':' || ${digits} END`
}

function comparison(side: Side, inclusive: boolean): string {
  return `${side === 'min' ? '<' : '>'}${inclusive ? '' : '='}`
}

/**
 * Compares text as the number that it represents, at any length. Compares doubles first, because rounding keeps the
 * order, and compares digits if the doubles are equal. Text that is not a number is outside.
 */
export function beyondNumber(text: string, limit: Decimal, side: Side, inclusive: boolean): string {
  const value = `TRY_CAST(${text} AS DOUBLE)`
  const edge = `CAST('${scaledText(limit.digits, limit.scale)}' AS DOUBLE)`
  const tie = `coalesce(${beyondDigits(text, limit, side, inclusive)}, false)`
  return `CASE WHEN ${value} IS NULL OR isnan(${value}) THEN true WHEN ${value} = ${edge} THEN ${tie} ELSE ${value} ${comparison(side, true)} ${edge} END`
}

/** Compares text with a bound by sign, place and digits (see `formSql`). An infinity is beyond every bound. */
function beyondDigits(text: string, limit: Decimal, side: Side, inclusive: boolean): string {
  const form = formOf(limit)
  const { known, sign, place, digits } = formSql(text)
  const strict = comparison(side, true)
  const compare = comparison(side, inclusive)
  const infinite = limit.digits > 0n === (side === 'max')
  // Of two negative numbers, the one with the greater magnitude is less.
  const against = (mine: string, how: string, theirs: string) =>
    form.sign > 0 ? `${mine} ${how} ${theirs}` : `${theirs} ${how} ${mine}`
  const same =
    form.sign === 0
      ? `${!inclusive}`
      : `CASE WHEN ${place} = ${form.place} THEN ${against(digits, compare, textLiteral(form.digits))} ELSE ${against(place, strict, `${form.place}`)} END`
  return `CASE WHEN NOT ${known} THEN ${infinite} WHEN ${sign} = ${form.sign} THEN ${same} ELSE ${sign} ${strict} ${form.sign} END`
}
