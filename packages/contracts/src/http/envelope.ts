import { z } from 'zod'

/** The body of every error. */
export const errorEnvelope = z
  .object({
    errors: z.array(z.object({ message: z.string(), status: z.int(), details: z.unknown().optional() })).min(1),
  })
  .meta({ id: 'ErrorEnvelope' })
export type ErrorEnvelope = z.infer<typeof errorEnvelope>

/** Identical byte for byte for every authentication failure. */
export const unauthorisedBody =
  '{"errors":[{"message":"Unauthorised:: Authorisation through API Keys failed","status":401}]}'
