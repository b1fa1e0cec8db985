import { z } from 'zod'
import { isoTime, optional } from '../values/scalars.ts'

export const eventsTokenRequest = z
  .object({ ttlSeconds: optional(z.int().min(1).max(600)) })
  .meta({ id: 'EventsTokenRequest' })

export const eventsToken = z.object({ token: z.string(), expiresAt: isoTime }).meta({ id: 'EventsToken' })
