import { metric, type Prepared, sqlText } from '@assay/data-engine'
import { z } from 'zod'

/** Not in the table of operations: the gateway has no way here. */
export const preparePath = '/internal/prepare'

/** No key of a caller has this form, so no token that the gateway signs for one can stand for a service. */
export const internalAccessKey = (service: string): string => `internal:${service}`
export const isInternal = (accessKey: string): boolean => accessKey.startsWith('internal:')

/** The tenant is that of the identity token. */
export const prepareRequest = z.object({
  locator: z.unknown(),
  filter: sqlText.optional(),
  metrics: z.array(metric).max(2000),
})

const prepared: z.ZodType<Prepared> = z.object({
  columns: z.array(z.object({ name: z.string(), dataType: z.string() })),
  filterError: z.string().nullable(),
  metricErrors: z.array(z.object({ id: z.number(), message: z.string() })),
})

export const prepareAnswer = z.object({ prepared: prepared.nullable() })
