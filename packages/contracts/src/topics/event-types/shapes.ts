import { z } from 'zod'

/** A type of public events. */
export interface EventType {
  /** `subject` is `<entity>/<id>`. */
  entity: string
  /** One sentence about what happened. */
  summary: string
  /** The guaranteed fields of `data`; more may be added. */
  data: z.ZodType
}

/** The types of one topic, by the last part of their name. */
export type EventTypes = Readonly<Record<string, EventType>>

/** Time as ISO 8601 UTC with milliseconds. */
export const at = z.iso.datetime()
/** The actor: the user of the key, or `system`. */
export const by = z.string()
export const id = z.int()

/** Any JSON. */
export const json = z.unknown()
const change = z.record(z.string(), json).nullable()
/** The changed fields; null for a new or a deleted thing. */
export const changes = z.object({ before: change, after: change })
