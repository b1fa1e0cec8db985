import type { z } from 'zod'

/** Rules for field names that a schema itself does not express. */
export interface FieldRules {
  /** Refuses unknown names, at any depth. */
  strict?: true
  /** A schema with the known names, if this schema accepts any name. */
  names?: z.ZodType
  /** Also accepts an empty object, which `names` would refuse. */
  emptyToo?: true
  /** Additional names that are read although the schema lacks them. */
  also?: readonly string[]
  /** A record that clients may send back unchanged. Its names never count as misspellings, at any depth. */
  sentBack?: z.ZodType
  /**
   * Synonyms of values of the discriminator. For each, the kind that it stands for, and the additional names that are
   * then allowed.
   */
  synonyms?: Readonly<Record<string, { kind: string; also: readonly string[] }>>
  /** Why the value of a known field is dropped; `undefined` means it is read. */
  unread?: (value: unknown) => string | undefined
}

/** A map outside of the schemas, so that the rules do not appear in OpenAPI. */
const rules = new WeakMap<z.core.$ZodType, FieldRules>()

export const rulesOf = (schema: z.core.$ZodType): FieldRules => rules.get(schema) ?? {}

/** A copy of the schema with rules for its fields; the original keeps its own. */
export function withFieldRules<T extends z.ZodType>(schema: T, added: FieldRules): T {
  const own = schema.clone()
  rules.set(own, { ...rulesOf(schema), ...added })
  return own
}

/** A copy of the schema that refuses unknown fields at any depth. Only for objects where no client sends extra fields. */
export function strictly<T extends z.ZodType>(schema: T): T {
  return withFieldRules(schema, { strict: true })
}
