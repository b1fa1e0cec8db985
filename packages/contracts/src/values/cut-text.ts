/** The first `max` UTF-16 units of a text. A character that would be cut in half is left out. */
export const cutText = (text: string, max: number): string => text.slice(0, max).replace(/[\uD800-\uDBFF]$/, '')

/** At most `max` UTF-16 units, the last one an ellipsis if the text is cut. */
export const shortText = (text: string, max: number): string =>
  text.length <= max ? text : `${cutText(text, max - 1)}…`
