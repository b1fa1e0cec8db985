import { z } from 'zod'

/** The paging record; `count` is the number of all matches. */
export const pageMeta = z.object({ count: z.int(), page: z.int(), size: z.int() }).meta({ id: 'MetaData' })
export type PageMeta = z.infer<typeof pageMeta>

const integerText = z
  .string()
  .regex(/^\d{1,9}$/, 'must be a whole number, zero or more')
  .transform(Number)

/** Rows per page: at most 500. */
export const sizeText = integerText.refine((size) => size <= 500, 'must be at most 500')

/** A snapshot token, from the header `x-assay-as-of` of an earlier answer to the same listing. */
export const asOfText = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be the value of the header x-assay-as-of of an earlier answer')
  .meta({
    description:
      'The header `x-assay-as-of` of an earlier page. The answer then shows and counts the rows of that snapshot.',
  })
  .optional()

/** The allowed values of `sortBy`, as the end of a sentence for OpenAPI and for errors. */
function sortRule(sortable: readonly string[]): string {
  if (sortable.length === 0) return 'be left out, because this listing has one order'
  return `be <field>:asc or <field>:desc, with one of the fields ${sortable.join(', ')}`
}

/** `<field>:asc|desc` with one of the fields. */
function sortText(sortable: readonly string[]) {
  const rule = sortRule(sortable)
  // Used only for the documentation, because checking the pattern would add a second message that does not name the
  // fields.
  const pattern = sortable.length === 0 ? {} : { pattern: `^(${sortable.join('|')}):([aA][sS][cC]|[dD][eE][sS][cC])$` }
  return z
    .string()
    .meta({ description: `The order. Must ${rule.replaceAll(/<field>:(asc|desc)/g, '`$&`')}.`, ...pattern })
    .transform((text, context) => {
      const match = /^([A-Za-z_]+):(asc|desc)$/i.exec(text)
      const field = match?.[1]
      if (field !== undefined && sortable.includes(field)) {
        return { field, direction: match?.[2]?.toLowerCase() === 'desc' ? ('desc' as const) : ('asc' as const) }
      }
      context.addIssue({ code: 'custom', message: `must ${rule}` })
      return z.NEVER
    })
    .optional()
}

/**
 * `<column>:asc|desc`, or `<own>:asc|desc` for the stored order. The handler checks whether the data has the column.
 */
export function columnSortText(own: string) {
  const rule = 'be <column>:asc or <column>:desc'
  return z
    .string()
    .max(2000)
    .meta({
      description: `The order. Must ${rule.replaceAll(/<column>:(asc|desc)/g, '`$&`')}; \`${own}\` is the stored order.`,
      pattern: '^[\\s\\S]+:([aA][sS][cC]|[dD][eE][sS][cC])$',
    })
    .transform((text, context) => {
      const match = /^([\s\S]+):(asc|desc)$/i.exec(text)
      if (match?.[1] !== undefined)
        return { field: match[1], direction: match[2]?.toLowerCase() === 'desc' ? ('desc' as const) : ('asc' as const) }
      context.addIssue({ code: 'custom', message: `must ${rule}` })
      return z.NEVER
    })
    .optional()
}

/**
 * Query fields of every listing. `page`: 0-based. `size`: at most 500 (0: only the count). `sortBy`:
 * `<field>:asc|desc`. `asOf`: for pages of one snapshot.
 */
export function pagingQuery(sortable: readonly string[]) {
  return {
    page: integerText.prefault('0'),
    size: sizeText.prefault('25'),
    sortBy: sortText(sortable),
    asOf: asOfText,
  }
}
