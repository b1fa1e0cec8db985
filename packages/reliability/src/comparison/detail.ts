import { comparisonFigures } from '@assay/contracts'
import { z } from 'zod'
import type { EndedItem } from '../kinds/run-kind.ts'

const text = z.string().nullable()
const rows = z.int().nullable()

/** The findings of an item, as outcomes keep them. */
export const comparisonDetail = z.object({
  ...{ leftRowsScanned: rows, rightRowsScanned: rows, leftRowsFailed: rows, rightRowsFailed: rows },
  ...{ leftResult: text, rightResult: text, leftError: text, rightError: text },
  /** Number of failed rows that make the item a warning at worst. */
  warned: z.int(),
  comparison: comparisonFigures.nullable(),
})
export type ComparisonDetail = z.infer<typeof comparisonDetail>

/** The findings of an outcome. Pure. */
export const detailOf = ({ detail }: Pick<EndedItem, 'detail'>): ComparisonDetail | undefined =>
  detail === undefined ? undefined : comparisonDetail.parse(detail)
