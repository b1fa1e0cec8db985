import { z } from 'zod'

/** The one body of every error of every status. */
export const errorEnvelope = z
  .object({
    errors: z.array(z.object({ message: z.string(), status: z.int(), details: z.unknown().optional() })).min(1),
  })
  .meta({ id: 'ErrorEnvelope' })
export type ErrorEnvelope = z.infer<typeof errorEnvelope>

/** Byte-exact for every failure of authentication. */
export const unauthorisedBody =
  '{"errors":[{"message":"Unauthorised:: Authorisation through API Keys failed","status":401}]}'
