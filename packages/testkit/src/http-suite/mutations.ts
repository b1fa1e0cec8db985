import { exampleOfJson } from '@assay/contracts'

type Json = Record<string, unknown>
/** `title` describes the fault of `value`. */
export interface Mutation {
  title: string
  value: unknown
}

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)
/** An object with an own field `__proto__`, as a client could send it. */
const poisoned: unknown = JSON.parse('{"__proto__":{"isAdmin":true},"constructor":{"prototype":{}}}')

export const badValues: readonly Mutation[] = [
  { title: 'null', value: null },
  { title: 'text', value: 'some text' },
  { title: 'a number', value: 7 },
  { title: 'a boolean', value: true },
  { title: 'an object', value: {} },
  { title: 'a list', value: [[]] },
  { title: 'empty text', value: '' },
  { title: 'too long', value: 'x'.repeat(20_000) },
  { title: 'beyond every limit', value: 'x'.repeat(150_000) },
  { title: 'with NUL', value: 'a\u0000b' },
  { title: 'half of a surrogate pair', value: 'a\ud800b' },
  { title: '__proto__', value: '__proto__' },
  { title: 'an object with __proto__', value: poisoned },
  { title: 'negative', value: -1 },
  { title: 'zero', value: 0 },
  { title: 'huge', value: 1e300 },
  { title: 'beyond 2^53', value: 2 ** 60 },
  { title: 'another script', value: 'имя 用户 مثال \u{1F469}\u200D\u{1F467}' },
]

/** The schema inside references and `T or null`. */
function resolved(schema: unknown, definitions: Json): Json {
  if (!isObject(schema)) return {}
  if (typeof schema.$ref === 'string') return resolved(definitions[schema.$ref.split('/').at(-1) ?? ''], definitions)
  const choices = schema.anyOf ?? schema.oneOf
  if (Array.isArray(choices)) return resolved(choices[0], definitions)
  return schema
}

function inField(name: string, schema: Json, base: Json, definitions: Json, depth: number): Mutation[] {
  const field = resolved(schema, definitions)
  const put = (value: unknown) => ({ ...base, [name]: value })
  const own = badValues.map(({ title, value }) => ({ title: `${name}: ${title}`, value: put(value) }))
  const { [name]: _, ...rest } = base
  const missing = name in base ? [{ title: `${name}: missing`, value: rest }] : []
  const within = base[name] ?? exampleOfJson(field, definitions)
  const element = resolved(field.items, definitions)
  const deeper =
    depth === 0
      ? []
      : isObject(within)
        ? mutationsOf(field, within, definitions, depth - 1).map(({ title, value }) => ({
            title: `${name}.${title}`,
            value: put(value),
          }))
        : Array.isArray(within) && isObject(within[0])
          ? mutationsOf(element, within[0], definitions, depth - 1).map(({ title, value }) => ({
              title: `${name}[0].${title}`,
              value: put([value]),
            }))
          : []
  return [...missing, ...own, ...deeper]
}

/** A valid body with one fault, for each field of its JSON schema, down to `depth` levels. */
export function mutationsOf(schema: Json, base: unknown, definitions: Json, depth: number): Mutation[] {
  if (!isObject(base)) return []
  const { properties } = resolved(schema, definitions)
  const fields = Object.entries(isObject(properties) ? properties : {})
  return fields.flatMap(([name, field]) => (isObject(field) ? inField(name, field, base, definitions, depth) : []))
}

/**
 * `count` mutations. Goes through the fields, and takes the next fault of each, so that every field and every fault
 * appears early. Calls with the seeds 0, 1, 2, … continue where the previous call ended.
 */
export function diagonal(list: readonly Mutation[], count: number, seed: number): Mutation[] {
  const fields = Object.values(Object.groupBy(list, ({ title }) => title.slice(0, title.lastIndexOf(':'))))
  if (list.length <= count) return [...list]
  return Array.from({ length: count }, (_, at) => seed * count + at).flatMap((at) => {
    const field = fields[at % fields.length] ?? []
    const mutation = field[((at % fields.length) + Math.floor(at / fields.length)) % field.length]
    return mutation ? [mutation] : []
  })
}

/**
 * At most `count` elements, evenly spread over a list. Calls with different seeds select different elements.
 */
export function spread<T>(list: readonly T[], count: number, seed: number): T[] {
  if (list.length <= count) return [...list]
  const step = list.length / count
  const start = seed % Math.ceil(step)
  return Array.from({ length: count }, (_, at) => list[Math.min(list.length - 1, Math.floor(at * step) + start)] as T)
}
