import { z } from 'zod'
import { type EventTypes, id } from './shapes.ts'

const sample = z.looseObject({
  requestId: z.string(),
  assetId: id,
  /** The table that is read: the asset itself, or the table of a column. */
  tableId: id,
  column: z.string().nullable(),
  status: z.enum(['IN_PROGRESS', 'SUCCESSFUL', 'FAILED']),
  rowCount: z.int().nullable(),
  error: z.string().nullable(),
})
const ofSample = (summary: string) => ({ entity: 'sample', summary, data: sample })

/** Types of the topic `assay.sampling.jobs`. */
export const samplingEventTypes = {
  SampleRequested: ofSample('A sample was requested.'),
  SampleSucceeded: ofSample('A sample can be read.'),
  SampleFailed: ofSample('A sample could not be made.'),
} satisfies EventTypes
