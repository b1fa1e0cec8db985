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

const timeForm = 'epoch milliseconds or an ISO 8601 time, such as 2026-01-31T08:00:00Z or 2026-01-31'
const timeProblem = `must be ${timeForm}`

/**
 * The end of the year 9999. Later times have more digits in ISO 8601, so their texts would sort before earlier ones.
 */
const lastTime = Date.parse('9999-12-31T23:59:59.999Z')

/** A time in a request: epoch milliseconds or ISO 8601 text, at most in the year 9999. Parses to epoch milliseconds. */
export const timeInput = z
  .union([z.int().nonnegative(), z.iso.datetime({ offset: true, local: true }), z.iso.date()], {
    error: ({ input }) => (input === undefined ? `is needed: ${timeForm}` : timeProblem),
  })
  .transform((value, context) => {
    const milliseconds =
      typeof value === 'number'
        ? value
        : Date.parse(value.length > 10 && !/[Zz]|[+-]\d\d:\d\d$/.test(value) ? `${value}Z` : value)
    if (Number.isFinite(milliseconds) && milliseconds <= lastTime) return milliseconds
    context.addIssue({ code: 'custom', message: timeProblem })
    return z.NEVER
  })

/** A time in a query: epoch milliseconds or ISO 8601 text. Parses to epoch milliseconds. */
export const timeText = z
  .string()
  .meta({ description: 'Epoch milliseconds or an ISO 8601 time.' })
  .transform((text) => (/^\d+$/.test(text) ? Number(text) : text))
  .pipe(timeInput)

const isWellFormed = (text: string) => text.isWellFormed()
const halfOfPair = 'must not contain one half of a surrogate pair'

/** Text of at most `max` characters without NUL and lone surrogates, which some stores and engines cannot store. */
export function plainText(max: number) {
  return z
    .string()
    .max(max)
    .regex(/^[^\0]*$/, 'must not contain the character NUL')
    .refine(isWellFormed, halfOfPair)
}

/** Whether a name can be part of a path. Clients resolve `.` and `..` as path steps, even if they are escaped. */
export const isPathSegment = (name: string) => name !== '.' && name !== '..'
export const notPathSegment = "must not be '.' or '..', because no URL could contain it"

interface TextProblem {
  path: PropertyKey[]
  message: string
}

/**
 * The first invalid text in a JSON value, with its path; `undefined` if there is none. Builds the path only once it has
 * found a text, because in a deeply nested body of 1 MiB, building paths for all texts would take most of the time.
 */
function textProblem(value: unknown): TextProblem | undefined {
  if (typeof value === 'string') {
    if (value.includes('\0')) return { path: [], message: 'must not contain the character NUL' }
    return isWellFormed(value) ? undefined : { path: [], message: halfOfPair }
  }
  if (typeof value !== 'object' || value === null) return undefined
  const below = (step: PropertyKey, within: unknown): TextProblem | undefined => {
    const problem = textProblem(within)
    return problem && { ...problem, path: [step, ...problem.path] }
  }
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at += 1) {
      const problem = below(at, value[at])
      if (problem) return problem
    }
    return undefined
  }
  for (const [name, within] of Object.entries(value)) {
    const problem = textProblem(name) ?? below(name, within)
    if (problem) return problem
  }
  return undefined
}

/** Refuses texts that `plainText` would refuse, at any depth. */
export function withPlainTexts<T extends z.ZodType>(schema: T): T {
  return schema.superRefine((value, context) => {
    const problem = textProblem(value)
    if (problem) context.addIssue({ code: 'custom', ...problem })
  })
}

/** Any JSON without NUL and lone surrogates in its texts. */
export const freeValue = withPlainTexts(z.unknown())

/** An object with any fields, whose texts have no NUL and no lone surrogates. */
export const freeObject = withPlainTexts(z.record(z.string(), z.unknown()))

/** Existing clients send `null` for unset fields, so it counts as absent. */
export function optional<T extends z.ZodType>(schema: T) {
  return schema.nullish().transform((value) => value ?? undefined)
}

/** `True`, `False`, `true`, `false` in a query. */
export const booleanText = z
  .string()
  .regex(/^(true|false)$/i, "must be 'true' or 'false'")
  .transform((value) => value.toLowerCase() === 'true')

/**
 * Maximum number of parts into which a list is split. It is above the limit of every list, so longer lists are still
 * refused.
 */
const maxListed = 2_000

/** A comma-separated list in a query; empty parts are dropped. */
export const listText = z.string().transform((value) =>
  value
    .split(',', maxListed)
    .map((part) => part.trim())
    .filter((part) => part !== ''),
)

/** An empty list in a query counts as absent. */
export function unlessEmpty<T>(list: T[]): T[] | undefined {
  return list.length === 0 ? undefined : list
}

/** A comma-separated list of ids in a query; `undefined` for an empty one. */
export const idListText = listText.pipe(z.array(idText).max(1000)).transform(unlessEmpty)
