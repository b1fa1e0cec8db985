import type { JsonObject } from '@assay/event-store'
import { z } from 'zod'

/** States for the compiler that request bodies come from JSON. */
export const jsonObject: z.ZodType<JsonObject> = z.record(z.string(), z.json())
