import { z } from 'zod'
import type { BadRows } from './first-bad-rows.ts'

/** Not part of the table of operations, so the gateway does not forward it. */
export const firstBadRowsPath = '/internal/first-bad-rows'

/** The identity token contains the tenant, and the user with the permissions that decide what is shown. */
export const firstBadRowsRequest = z.object({ executionId: z.int() })

const text = z.string().max(100)
const badRows: z.ZodType<BadRows> = z.object({
  item: z.string().max(1_000),
  count: z.int(),
  columns: z.array(text).max(5),
  rows: z.array(z.array(text.nullable()).max(5)).max(3),
})

export const firstBadRowsAnswer = z.object({ badRows: badRows.nullable() })
