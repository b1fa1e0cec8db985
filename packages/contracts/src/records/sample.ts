import { z } from 'zod'
import { id, optional, plainText } from '../values/scalars.ts'

const transformUdf = z.object({
  udfId: id,
  name: optional(plainText(1000)),
  assetId: optional(id),
  parameters: optional(
    z
      .array(
        z.object({
          key: plainText(1000),
          value: optional(plainText(10_000)),
          isColumnVariable: optional(z.boolean()),
        }),
      )
      .max(100),
  ),
  columnNames: optional(z.array(plainText(10_000)).max(1000)),
})

/**
 * `transformUDFs` add columns. `filter` (SQL over the row) excludes rows. Existing clients send other fields as well,
 * which have no effect.
 */
export const sampleRequest = z
  .object({
    invalidateCache: optional(z.boolean()),
    filterAssetSelections: optional(z.boolean()),
    enableSyncForPushdown: optional(z.boolean()),
    transformUDFs: optional(z.array(transformUdf).max(100)),
    filter: optional(plainText(100_000)),
  })
  .prefault({})

export const sampleField = z.object({ name: z.string(), type: z.string(), nullable: z.boolean() })

/** The first rows of an asset. Numbers that JSON cannot hold exactly are text, times ISO 8601, binary base64. */
export const sampleData = z.object({
  schema: z.object({ fields: z.array(sampleField) }),
  data: z.array(z.record(z.string(), z.unknown())),
})
export type SampleData = z.infer<typeof sampleData>

/** `sampleData` is empty until the job is SUCCESSFUL. */
export const sampleAnswer = z
  .object({
    requestId: z.string(),
    jobExecutionStatus: z.enum(['IN_PROGRESS', 'SUCCESSFUL', 'FAILED']),
    executionId: z.null(),
    errorMsg: z.string().nullable(),
    sampleData,
    file: z.null(),
  })
  .meta({ id: 'SampleDataApiResponse' })
export type SampleAnswer = z.infer<typeof sampleAnswer>
