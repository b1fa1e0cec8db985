import { z } from 'zod'

const context = z.object({ source: z.string() })

/** A value of JSON as it is. Whole numbers that a double cannot represent become their digits as text. */
export function exactJson(text: string): unknown {
  try {
    return JSON.parse(text, (_key: string, value: unknown, ...rest: unknown[]) => {
      if (typeof value !== 'number' || Number.isSafeInteger(value)) return value
      const written = context.safeParse(rest[0]).data?.source ?? ''
      return /^-?\d+$/.test(written) ? written : value
    })
  } catch {
    return undefined
  }
}
