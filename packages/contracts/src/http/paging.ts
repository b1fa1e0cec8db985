import { z } from 'zod'

/** The paging record; `count` is the number of all matches. */
export const pageMeta = z.object({ count: z.int(), page: z.int(), size: z.int() }).meta({ id: 'MetaData' })
export type PageMeta = z.infer<typeof pageMeta>

const integerText = z
  .string()
  .regex(/^\d{1,9}$/, 'must be a whole number, zero or more')
  .transform(Number)

/** Query fields of every listing: `page` 0-based, `size` at most 500 (0: only the count), `sortBy` `<field>:asc|desc`. */
export function pagingQuery(sortable: readonly string[]) {
  return {
    page: integerText.prefault('0'),
    size: integerText.refine((size) => size <= 500, 'must be at most 500').prefault('25'),
    sortBy: z
      .string()
      .transform((text, context) => {
        const match = /^([A-Za-z_]+)(?::(asc|desc))?$/i.exec(text)
        const field = match?.[1]
        if (field !== undefined && sortable.includes(field)) {
          return { field, direction: match?.[2]?.toLowerCase() === 'desc' ? ('desc' as const) : ('asc' as const) }
        }
        context.addIssue({
          code: 'custom',
          message: `must be <field>:asc or <field>:desc, with one of the fields ${sortable.join(', ')}`,
        })
        return z.NEVER
      })
      .optional(),
  }
}
