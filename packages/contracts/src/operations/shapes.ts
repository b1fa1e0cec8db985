import { z } from 'zod'
import { idText, unlessEmpty } from '../values/scalars.ts'

export const none = z.object({})
export const idParams = z.object({ id: idText })
export const nameParams = z.object({ name: z.string().min(1) })
/** A numeric id or a name. */
export const identifierParams = z.object({ identifier: z.string().min(1) })
/** A numeric id or a name, in paths that call it `id`. */
export const idOrNameParams = z.object({ id: z.string().min(1) })

const maxListed = 1_000
const maxLength = 100

/** A list of enum values in any case; `undefined` for an empty list. Reads only the first 1,000 values. */
export function enumListText<T extends string>(
  allowed: readonly T[],
  synonyms: Readonly<Record<string, readonly T[]>> = {},
) {
  return z.string().transform((text, context): T[] | undefined => {
    const parts = text
      .split(',', maxListed)
      .map((part) => part.trim().slice(0, maxLength).toUpperCase())
      .filter((part) => part !== '')
    const values: T[] = []
    for (const part of parts) {
      const known = allowed.find((value) => value === part)
      if (known !== undefined) values.push(known)
      else if (synonyms[part]) values.push(...synonyms[part])
      else {
        const message = `must be one of ${[...allowed, ...Object.keys(synonyms)].join(', ')}`
        context.addIssue({ code: 'custom', message })
        return z.NEVER
      }
    }
    return unlessEmpty(values)
  })
}
