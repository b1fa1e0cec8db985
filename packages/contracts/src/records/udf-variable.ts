import { z } from 'zod'
import { id, isoTime, optional, plainText } from '../values/scalars.ts'

const key = plainText(256)
const value = plainText(4_000)

/** An empty key is well-formed but impossible, so the operation answers 422. */
export const createUdfVariableRequest = z.object({ key, value, assetId: optional(id) })
/** A field that is `null` or absent keeps its value. */
export const updateUdfVariableRequest = z.object({ key: optional(key), value: optional(value), assetId: optional(id) })

/** A value that expressions of policies on an asset, or on assets below it, use as `${key}`. */
export const udfVariable = z
  .object({
    id,
    assetId: id,
    key: z.string(),
    value: z.string(),
    createdAt: isoTime,
    updatedAt: isoTime,
  })
  .meta({ id: 'AssetUDFVariable' })
export type UdfVariable = z.infer<typeof udfVariable>

export const udfVariableList = z
  .object({ assetId: id, variables: z.array(z.object({ id, key: z.string(), value: z.string() })) })
  .meta({ id: 'AssetUDFVariableResponse' })
