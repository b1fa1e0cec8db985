import type { JsonObject } from '@assay/event-store'
import { z } from 'zod'

/** Request bodies come from JSON; this tells the compiler so. */
export const jsonObject: z.ZodType<JsonObject> = z.record(z.string(), z.json())
