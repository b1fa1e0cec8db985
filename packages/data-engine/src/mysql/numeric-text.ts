import { type Decimal, scaledText } from '../sql/decimal.ts'
import type { Side } from '../sql/dialect.ts'
import { formOf, keyOf } from '../sql/number-form.ts'
import { textLiteral } from '../sql/quote.ts'

const number = '[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,4})?'
const blanks = '[\\x{9}-\\x{d}\\x{20}]'

const matches = (text: string, pattern: string) => `(${text} REGEXP ${textLiteral(pattern)})`

/** A text without ASCII white space around it. */
export const trimmed = (text: string) => `REGEXP_REPLACE(${text}, ${textLiteral(`\\A${blanks}+|${blanks}+\\z`)}, '')`

/** Whether a text is a finite number. `blanksToo`: allows blanks around it. */
const isNumber = (text: string, blanksToo: boolean) =>
  matches(text, blanksToo ? `\\A${blanks}*${number}${blanks}*\\z` : `\\A${number}\\z`)
export const isNumberText = (text: string) => isNumber(text, false)

/** SQL of the parts of a number's form (see `formOf`), for a `text` that is a number without blanks. */
function formSql(text: string): { sign: string; place: string; digits: string } {
  const low = `lower(${text})`
  const mantissa = `substring_index(${low}, 'e', 1)`
  const exponent = `CASE WHEN locate('e', ${low}) > 0 THEN CAST(substring_index(${low}, 'e', -1) AS SIGNED) ELSE 0 END`
  const bare = `CASE WHEN left(${mantissa}, 1) IN ('+', '-') THEN substr(${mantissa}, 2) ELSE ${mantissa} END`
  const whole = `substring_index(${bare}, '.', 1)`
  const all = `concat(${whole}, CASE WHEN locate('.', ${bare}) > 0 THEN substring_index(${bare}, '.', -1) ELSE '' END)`
  const digits = `TRIM(BOTH '0' FROM ${all})`
  const leading = `(char_length(${all}) - char_length(TRIM(LEADING '0' FROM ${all})))`
  const sign = `CASE WHEN ${digits} = '' THEN 0 WHEN left(${mantissa}, 1) = '-' THEN -1 ELSE 1 END`
  return { sign, place: `(char_length(${whole}) - ${leading} + ${exponent})`, digits }
}

/** A text that is equal for equal numbers in any notation; NULL if it is not a number. */
export function keySql(text: string): string {
  const { sign, place, digits } = formSql(trimmed(text))
  const key = `CASE WHEN ${digits} = '' THEN '0' ELSE concat(${sign}, ':', ${place}, ':', ${digits}) END`
  return `CASE WHEN ${isNumber(text, true)} THEN ${key} END`
}

/** Whether a text equals one of the numbers. */
export const isOneOf = (text: string, numbers: readonly Decimal[]) =>
  numbers.length === 0
    ? 'false'
    : `(${keySql(text)} IN (${numbers.map((value) => textLiteral(keyOf(formOf(value)))).join(', ')}))`

/** Maximum numbers of digits before and after the point in a decimal of the server. */
const [wholeDigits, scaleDigits] = [35, 30]

function comparison(side: Side, inclusive: boolean): string {
  return `${side === 'min' ? '<' : '>'}${inclusive ? '' : '='}`
}

/** Compares text as the number that it represents, at any length. Text that is not a number is outside. */
export function isBeyond(text: string, limit: Decimal, side: Side, inclusive: boolean): string {
  const edge = scaledText(limit.digits, limit.scale)
  const [whole = '', fraction = ''] = edge.replace('-', '').split('.')
  const byDigits = `CASE WHEN ${isNumber(text, true)} THEN ${beyondDigits(trimmed(text), limit, side, inclusive)} ELSE true END`
  if (whole.length > wholeDigits || fraction.length > scaleDigits) return `coalesce(${byDigits}, true)`
  const plain = matches(text, `\\A[+-]?[0-9]{1,${wholeDigits}}([.][0-9]{0,${scaleDigits}})?\\z`)
  const exact = `CAST(${text} AS DECIMAL(${wholeDigits + scaleDigits}, ${scaleDigits}))`
  return `coalesce(CASE WHEN ${plain} THEN ${exact} ${comparison(side, inclusive)} ${edge} ELSE ${byDigits} END, true)`
}

/** Compares a number with a bound by sign, place and digits (see `formSql`). */
function beyondDigits(text: string, limit: Decimal, side: Side, inclusive: boolean): string {
  const form = formOf(limit)
  const { sign, place, digits } = formSql(text)
  const strict = comparison(side, true)
  // Of two negative numbers, the one with the greater magnitude is less.
  const against = (mine: string, how: string, theirs: string) =>
    form.sign > 0 ? `${mine} ${how} ${theirs}` : `${theirs} ${how} ${mine}`
  const same =
    form.sign === 0
      ? `${!inclusive}`
      : `CASE WHEN ${place} = ${form.place} THEN ${against(digits, comparison(side, inclusive), textLiteral(form.digits))} ELSE ${against(place, strict, `${form.place}`)} END`
  return `CASE WHEN ${sign} = ${form.sign} THEN ${same} ELSE ${sign} ${strict} ${form.sign} END`
}

/** Whether a text is a number with at most `precision` digits, `scale` of them after the point. */
export function fitsDecimal(text: string, precision: number, scale: number): string {
  const { place, digits } = formSql(text)
  const fits = `(${digits} = '' OR (${place} <= ${precision - scale} AND char_length(${digits}) - ${place} <= ${scale}))`
  return `CASE WHEN ${isNumberText(text)} THEN ${fits} ELSE false END`
}
