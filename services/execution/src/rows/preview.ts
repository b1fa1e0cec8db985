import { AssayError } from '@assay/service-kit/errors'
import { z } from 'zod'
import { inOrder, type Order } from './row-order.ts'

const preview = z.object({
  fields: z.array(z.object({ name: z.string(), type: z.string(), nullable: z.boolean() })),
  rows: z.array(z.object({ values: z.record(z.string(), z.unknown()), ruleItemIds: z.array(z.int()) })),
})
/** The first rows of a category that a run stored. */
export type Preview = z.infer<typeof preview>

/** Throws `internal` if the stored text has another form. */
export function parsePreview(text: string): Preview {
  try {
    return preview.parse(JSON.parse(text))
  } catch (cause) {
    throw new AssayError('internal', 'The stored preview of this execution cannot be read.', { cause })
  }
}

/** `page` is 0-based. */
export interface RowPage {
  page: number
  size: number
}

/** A page of the rows that failed `itemId` (absent: of all rows), and their number. */
export function previewPage(
  { rows }: Preview,
  { itemId, page, size, order }: RowPage & { itemId: number | undefined; order: Order },
): { rows: Preview['rows']; count: number } {
  const matching = itemId === undefined ? rows : rows.filter(({ ruleItemIds }) => ruleItemIds.includes(itemId))
  return { rows: inOrder(matching, order).slice(page * size, (page + 1) * size), count: matching.length }
}
