import { z } from 'zod'

/** A positive integer in a path or query, as text: `abc`, `0`, `-1`, `1e3` and 2^63 are refused. */
export const idText = z
  .string()
  .regex(/^[1-9][0-9]{0,15}$/, 'must be a positive integer')
  .transform(Number)
  .refine(Number.isSafeInteger, 'must be a positive integer')

/** A numeric id in a body. */
export const id = z.int().positive()

/** Time as ISO 8601 UTC with milliseconds. */
export const isoTime = z.string()

/** A time in a request: epoch milliseconds or ISO 8601 text. Answers epoch milliseconds. */
export const timeInput = z
  .union([z.int().nonnegative(), z.iso.datetime({ offset: true, local: true }), z.iso.date()])
  .transform((value, context) => {
    const milliseconds =
      typeof value === 'number'
        ? value
        : Date.parse(value.length > 10 && !/[Zz]|[+-]\d\d:\d\d$/.test(value) ? `${value}Z` : value)
    if (Number.isFinite(milliseconds)) return milliseconds
    context.addIssue({ code: 'custom', message: 'must be epoch milliseconds or an ISO 8601 time' })
    return z.NEVER
  })

/** A time in a query: epoch milliseconds or ISO 8601 text. Answers epoch milliseconds. */
export const timeText = z
  .string()
  .transform((text) => (/^\d+$/.test(text) ? Number(text) : text))
  .pipe(timeInput)

/** Text of at most `max` characters without NUL, which not every store and engine can keep. */
export function plainText(max: number) {
  return z
    .string()
    .max(max)
    .regex(/^[^\0]*$/, 'must not contain the character NUL')
}

/** Existing clients send `null` for what they do not set: it is as absent. */
export function optional<T extends z.ZodType>(schema: T) {
  return schema.nullish().transform((value) => value ?? undefined)
}

/** `True`, `False`, `true`, `false` in a query. */
export const booleanText = z
  .string()
  .regex(/^(true|false)$/i, "must be 'true' or 'false'")
  .transform((value) => value.toLowerCase() === 'true')

/** A comma-separated list in a query; empty parts are dropped. */
export const listText = z.string().transform((value) =>
  value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
)

/** A comma-separated list of ids in a query. */
export const idListText = listText.pipe(z.array(idText).max(1000))
