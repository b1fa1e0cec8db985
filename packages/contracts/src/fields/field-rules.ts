import type { z } from 'zod'

/** What a schema does not say by itself about the names of its fields. */
export interface FieldRules {
  /** Unknown names are refused here and below. */
  strict?: true
  /** The schema whose names are known here, where the schema itself takes any. */
  names?: z.ZodType
  /** An empty object is taken as well, beside what `names` says. */
  emptyToo?: true
  /** Names that are read although no field of the schema has them. */
  also?: readonly string[]
  /** A record that clients send back whole: none of its names, here or below, is a misspelling. */
  sentBack?: z.ZodType
  /** What other values of the discriminator stand for, and names that only they bring. */
  synonyms?: Readonly<Record<string, { kind: string; also: readonly string[] }>>
  /** Why a value is dropped although the field is known; `undefined`: it is read. */
  unread?: (value: unknown) => string | undefined
}

/** Kept apart from the metadata of OpenAPI. */
const rules = new WeakMap<z.core.$ZodType, FieldRules>()

export const rulesOf = (schema: z.core.$ZodType): FieldRules => rules.get(schema) ?? {}

/** The same schema with rules for its fields; those of the original stay as they are. */
export function withFieldRules<T extends z.ZodType>(schema: T, added: FieldRules): T {
  const own = schema.clone()
  rules.set(own, { ...rulesOf(schema), ...added })
  return own
}

/** The same schema, in which an unknown field is refused, at any depth: for objects that no existing client fills freely. */
export function strictly<T extends z.ZodType>(schema: T): T {
  return withFieldRules(schema, { strict: true })
}
