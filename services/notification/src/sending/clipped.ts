/** The first `max` UTF-16 units of a text. A character that would be cut in half is left out. */
export const clipped = (text: string, max: number): string => text.slice(0, max).replace(/[\uD800-\uDBFF]$/, '')
