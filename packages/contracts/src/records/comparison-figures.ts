import { z } from 'zod'

/**
 * Numbers of rows of two tables, after filters and markers. leftRows = equal + changed + onlyLeft, and similarly for
 * the right side.
 */
const comparisonRows = {
  leftRows: z.int(),
  rightRows: z.int(),
  equal: z.int(),
  changed: z.int(),
  onlyLeft: z.int(),
  onlyRight: z.int(),
}

/**
 * The cheapest evidence that two tables are not equal. SCHEMA: the columns that the other side lacks. ROW_COUNT: the
 * numbers of rows. ROW: the first row that differs, as both sides have it (`null`: that side has no such row).
 */
const comparisonProof = z
  .discriminatedUnion('kind', [
    z.object({ kind: z.literal('SCHEMA'), left: z.array(z.string()), right: z.array(z.string()) }),
    z.object({ kind: z.literal('ROW_COUNT'), left: z.int(), right: z.int() }),
    z.object({
      kind: z.literal('ROW'),
      left: z.record(z.string(), z.json()).nullable(),
      right: z.record(z.string(), z.json()).nullable(),
    }),
  ])
  .meta({ id: 'ComparisonProof' })

/**
 * The figures of a comparison. Duplicate keys: values of the key that several rows have. Null keys: rows with NULL in
 * the key. `columns`: for each column, the number of changed rows that differ in it.
 */
export const comparisonFigures = z
  .object({
    ...comparisonRows,
    leftDuplicateKeys: z.int(),
    rightDuplicateKeys: z.int(),
    leftNullKeys: z.int(),
    rightNullKeys: z.int(),
    columns: z.array(z.object({ leftColumnName: z.string(), rightColumnName: z.string(), changed: z.int() })),
    /** Only for equality policies whose tables are not equal. */
    proof: comparisonProof.exactOptional(),
  })
  .meta({ id: 'ComparisonFigures' })
export type ComparisonFigures = z.infer<typeof comparisonFigures>

/** A row that differs. `left`, `right`: its values by column; `null` if that side has no such row. */
export const comparedRow = z.object({
  difference: z.enum(['CHANGED', 'ONLY_LEFT', 'ONLY_RIGHT']),
  left: z.record(z.string(), z.unknown()).nullable(),
  right: z.record(z.string(), z.unknown()).nullable(),
  /** By the names of the left side. */
  changedColumns: z.array(z.string()),
})
export type ComparedRow = z.infer<typeof comparedRow>

/** Further fields of an item's execution and result in policies on two tables. */
export const comparisonFields = {
  isError: z.boolean().optional(),
  isRowMatchMeasure: z.boolean().optional(),
  leftRowsScanned: z.int().nullish(),
  rightRowsScanned: z.int().nullish(),
  leftRowsFailed: z.int().nullish(),
  rightRowsFailed: z.int().nullish(),
  /** The figure of each side as text. */
  leftResult: z.string().nullish(),
  rightResult: z.string().nullish(),
  leftError: z.string().nullish(),
  rightError: z.string().nullish(),
  /** The percentage as text, like `result`. */
  matchResult: z.string().nullish(),
  measuresSelection: z.null().optional(),
  leftAnalyticsPipelineName: z.string().optional(),
  rightAnalyticsPipelineName: z.string().optional(),
}
