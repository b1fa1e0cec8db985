/** A JSON Schema in the form that `z.toJSONSchema` returns. */
interface Schema {
  type?: unknown
  const?: unknown
  enum?: readonly unknown[]
  anyOf?: readonly Schema[]
  items?: Schema
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
}

/** Names of the kinds of values that a schema allows. */
function allowed(schema: Schema): string[] {
  if (schema.anyOf !== undefined) return schema.anyOf.flatMap(allowed)
  if (schema.const !== undefined) return [JSON.stringify(schema.const)]
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value))
  return [typeof schema.type === 'string' ? schema.type : 'anything']
}

/** Whether a consumer that knows the kinds `was` understands every value of the kind `now`. */
function isUnderstood(now: string, was: readonly string[]): boolean {
  if (was.includes(now) || was.includes('anything')) return true
  return (now.startsWith('"') && was.includes('string')) || (now === 'integer' && was.includes('number'))
}

const objectIn = (schema: Schema): Schema =>
  schema.properties === undefined
    ? (schema.anyOf?.find(({ properties }) => properties !== undefined) ?? schema)
    : schema

/**
 * What would break a consumer of `before` that gets events of `after`, as sentences. Empty if there are only additions:
 * fields may be added, but an existing field must remain, must remain required, and must never have a kind of value
 * that it could not have before. Pure.
 */
export function breaksBetween(before: Schema, after: Schema, path = ''): string[] {
  const was = allowed(before)
  const unknown = allowed(after).filter((kind) => !isUnderstood(kind, was))
  const breaks = unknown.map((kind) => `${path || 'the event'} can be ${kind} now`)
  if (before.items !== undefined && after.items !== undefined)
    breaks.push(...breaksBetween(before.items, after.items, `${path}[]`))
  const [old, now] = [objectIn(before), objectIn(after)]
  for (const [name, schema] of Object.entries(old.properties ?? {})) {
    const at = path === '' ? name : `${path}.${name}`
    const present = now.properties?.[name]
    if (present === undefined) breaks.push(`${at} is missing`)
    else breaks.push(...breaksBetween(schema, present, at))
    if (old.required?.includes(name) && !now.required?.includes(name)) breaks.push(`${at} is no longer guaranteed`)
  }
  return breaks
}
