import { type NumberParts, withoutAsciiBlanks } from '../sql/number-text.ts'

/** SQL of the parts of a text that is a number, maybe with blanks around it. */
export function numberParts(given: string): NumberParts {
  const text = withoutAsciiBlanks(given)
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
