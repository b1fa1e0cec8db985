import type { z } from 'zod'

/** Rules for field names that a schema itself does not express. */
export interface FieldRules {
  /** Refuses unknown names, at any depth. */
  strict?: true
  /** A schema with the known names, if the schema itself accepts any. */
  names?: z.ZodType
  /** Accepts an empty object in addition to what `names` says. */
  emptyToo?: true
  /** Further names that are read, though the schema has no such field. */
  also?: readonly string[]
  /** A record that clients send back whole: none of its names, at any depth, is a misspelling. */
  sentBack?: z.ZodType
  /** Other values of the discriminator, the kinds that they stand for, and the names that only they have. */
  synonyms?: Readonly<Record<string, { kind: string; also: readonly string[] }>>
  /** Why a known field is dropped; `undefined`: it is read. */
  unread?: (value: unknown) => string | undefined
}

/** A separate map, so that the rules do not appear in OpenAPI. */
const rules = new WeakMap<z.core.$ZodType, FieldRules>()

export const rulesOf = (schema: z.core.$ZodType): FieldRules => rules.get(schema) ?? {}

/** A copy of the schema with rules for its fields; the original keeps its own. */
export function withFieldRules<T extends z.ZodType>(schema: T, added: FieldRules): T {
  const own = schema.clone()
  rules.set(own, { ...rulesOf(schema), ...added })
  return own
}

/** A copy of the schema that refuses unknown fields at any depth: for objects that no existing client fills freely. */
export function strictly<T extends z.ZodType>(schema: T): T {
  return withFieldRules(schema, { strict: true })
}
