import type { JsonObject, JsonValue } from '@assay/event-store'
import { z } from 'zod'

/** Any JSON, in documents. */
export const json: z.ZodType<JsonValue> = z.json()
export const jsonObject: z.ZodType<JsonObject> = z.record(z.string(), json)
