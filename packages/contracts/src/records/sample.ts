import { z } from 'zod'
import { optional } from '../values/scalars.ts'

/** Clients send more (`transformUDFs`, `filter` ...); it is accepted and changes nothing. */
export const sampleRequest = z.object({ invalidateCache: optional(z.boolean()) }).prefault({})

export const sampleField = z.object({ name: z.string(), type: z.string(), nullable: z.boolean() })

/** The first rows of an asset: numbers that JSON cannot carry exactly are text, times ISO 8601, binary base64. */
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
  })
  .meta({ id: 'SampleDataApiResponse' })
export type SampleAnswer = z.infer<typeof sampleAnswer>
