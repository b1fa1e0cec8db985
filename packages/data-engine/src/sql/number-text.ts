import { type Decimal, scaledText } from './decimal.ts'
import type { Side } from './dialect.ts'
import { formOf, keyOf } from './number-form.ts'
import { textLiteral } from './quote.ts'

/** SQL of the parts of a number's form; see `formOf`. */
export interface NumberParts {
  sign: string
  place: string
  digits: string
}

/** How a database writes what the comparison of numbers in texts needs. Arguments and results are SQL. */
export interface NumberTextSpelling {
  /** Whether a text contains a match of a regular expression, which is given as it is. */
  matches(text: string, pattern: string): string
  characters(text: string): string
  /** The parts of a text that is a number, maybe with blanks around it. */
  partsOf(text: string): NumberParts
  /** A whole number as a text. */
  text(value: string): string
  /** The type for the comparison of texts with few digits, by the maximum number of digits before and after the point. */
  exact: { wholeDigits: number; scaleDigits: number }
  /** A decimal number as a literal that loses no digit. */
  decimal(digits: string): string
}

/** SQL over texts that represent numbers. */
export interface NumberTexts {
  /** Whether a text is a finite number, without blanks around it. */
  isNumber(text: string): string
  /** A text that is equal for equal numbers in any notation; NULL if it is not a number. */
  key(text: string): string
  /** Whether a text equals one of the numbers. */
  isOneOf(text: string, numbers: readonly Decimal[]): string
  /** Compares text as the number that it represents, at any length. Text that is not a number is outside. */
  isBeyond(text: string, limit: Decimal, side: Side, inclusive: boolean): string
  /** Whether a text is a number with at most `precision` digits, `scale` of them after the point. */
  fitsDecimal(text: string, precision: number, scale: number): string
  /** Whether a text is a number within the range of a float. */
  isFiniteFloat(text: string, bits: 32 | 64): string
}

const number = '[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,4})?'
/** ASCII white space, as a class of a regular expression. */
export const asciiBlanks = '[\\x09-\\x0d\\x20]'

/** A text without ASCII white space around it. */
export const withoutAsciiBlanks = (text: string) =>
  `REGEXP_REPLACE(${text}, ${textLiteral(`\\A${asciiBlanks}+|${asciiBlanks}+\\z`)}, '')`

function comparison(side: Side, inclusive: boolean): string {
  return `${side === 'min' ? '<' : '>'}${inclusive ? '' : '='}`
}

/** For databases without a type for numbers of any length. */
export function numberTexts({
  matches,
  characters,
  partsOf,
  text: textSql,
  exact: { wholeDigits, scaleDigits },
  decimal,
}: NumberTextSpelling): NumberTexts {
  /** `blanksToo`: allows blanks around it. */
  const isNumber = (text: string, blanksToo: boolean) =>
    matches(text, blanksToo ? `\\A${asciiBlanks}*${number}${asciiBlanks}*\\z` : `\\A${number}\\z`)

  function key(text: string): string {
    const { sign, place, digits } = partsOf(text)
    const parts = `concat(${textSql(sign)}, ':', ${textSql(place)}, ':', ${digits})`
    return `CASE WHEN ${isNumber(text, true)} THEN CASE WHEN ${digits} = '' THEN '0' ELSE ${parts} END END`
  }

  /** Compares a number with a bound by sign, place and digits (see `formOf`). */
  function beyondDigits(text: string, limit: Decimal, side: Side, inclusive: boolean): string {
    const form = formOf(limit)
    const { sign, place, digits } = partsOf(text)
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

  function isBeyond(text: string, limit: Decimal, side: Side, inclusive: boolean): string {
    const edge = scaledText(limit.digits, limit.scale)
    const [whole = '', fraction = ''] = edge.replace('-', '').split('.')
    const byDigits = `CASE WHEN ${isNumber(text, true)} THEN ${beyondDigits(text, limit, side, inclusive)} ELSE true END`
    if (whole.length > wholeDigits || fraction.length > scaleDigits) return `coalesce(${byDigits}, true)`
    const plain = matches(text, `\\A[+-]?[0-9]{1,${wholeDigits}}([.][0-9]{0,${scaleDigits}})?\\z`)
    const exact = `CAST(${text} AS DECIMAL(${wholeDigits + scaleDigits}, ${scaleDigits}))`
    return `coalesce(CASE WHEN ${plain} THEN ${exact} ${comparison(side, inclusive)} ${decimal(edge)} ELSE ${byDigits} END, true)`
  }

  return {
    isNumber: (text) => isNumber(text, false),
    key,
    isOneOf: (text, numbers) =>
      numbers.length === 0
        ? 'false'
        : `(${key(text)} IN (${numbers.map((value) => textLiteral(keyOf(formOf(value)))).join(', ')}))`,
    isBeyond,
    fitsDecimal(text, precision, scale) {
      const { place, digits } = partsOf(text)
      const fits = `(${digits} = '' OR (${place} <= ${precision - scale} AND ${characters(digits)} - ${place} <= ${scale}))`
      return `CASE WHEN ${isNumber(text, false)} THEN ${fits} ELSE false END`
    },
    isFiniteFloat(text, bits) {
      const most = { digits: BigInt(bits === 32 ? 3.4028234663852886e38 : Number.MAX_VALUE), scale: 0 }
      const least = { digits: -most.digits, scale: 0 }
      const beyond = `(${isBeyond(text, most, 'max', true)} OR ${isBeyond(text, least, 'min', true)})`
      const mayBeLarge = matches(text, '[eE]|[0-9]{38}')
      return `CASE WHEN ${isNumber(text, false)} THEN CASE WHEN ${mayBeLarge} THEN NOT ${beyond} ELSE true END ELSE false END`
    },
  }
}
