import type { JsonObject } from '@assay/event-store'
import { z } from 'zod'

/** A body is JSON by its origin; this tells the compiler. */
export const jsonObject: z.ZodType<JsonObject> = z.record(z.string(), z.json())
