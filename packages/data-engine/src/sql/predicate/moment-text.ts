/**
 * SQL of the moment that a text names, without zone (UTC); NULL for what names none. Words that the engine takes for
 * moments (`epoch`, `infinity`) are none: a date has digits.
 */
export function momentOfText(text: string): string {
  return `CASE WHEN regexp_matches(${text}, '[0-9]') THEN CAST(TRY_CAST(${text} AS TIMESTAMPTZ) AS TIMESTAMP) END`
}
