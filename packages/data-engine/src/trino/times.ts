import { textLiteral } from '../sql/quote.ts'
import { clock, day, zone } from '../sql/time-literals.ts'

const matches = (text: string, pattern: string) => `regexp_like(${text}, ${textLiteral(`\\A(?:${pattern})\\z`)})`

/** Whether a text is a valid calendar day, followed by the form `rest`. */
export const isTimeText = (text: string, rest: string) =>
  `CASE WHEN ${matches(text, `${day}${rest}`)} THEN substr(${text}, 1, 4) <> '0000' AND TRY_CAST(substr(${text}, 1, 10) AS date) IS NOT NULL ELSE false END`

export const isTimeOfDay = (text: string) => matches(text, clock)

/** The time of an ISO 8601 text in UTC, without zone; NULL if the text is not one. */
export function timeOfText(text: string): string {
  const rest = `substr(${text}, 11)`
  const written = `coalesce(regexp_extract(${rest}, '[0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,6})?)?'), '00:00:00')`
  const local = `CAST(concat(substr(${text}, 1, 10), ' ', ${written}) AS timestamp(6))`
  const offset = `regexp_extract(${rest}, '[+-][0-9]{2}(:?[0-9]{2})?\\z')`
  const minutes = `CASE WHEN length(${offset}) > 3 THEN CAST(substr(${offset}, -2) AS bigint) ELSE 0 END`
  const seconds = `(CASE substr(${offset}, 1, 1) WHEN '-' THEN 60 ELSE -60 END * (60 * CAST(substr(${offset}, 2, 2) AS bigint) + ${minutes}))`
  const utc = `CASE WHEN ${offset} IS NULL THEN ${local} ELSE date_add('second', ${seconds}, ${local}) END`
  return `CASE WHEN ${isTimeText(text, `([ T]${clock}${zone})?`)} THEN ${utc} END`
}
