import { z } from 'zod'

type Json = Record<string, unknown>

/** Sample texts for the patterns of the interface; the first match applies. */
const texts = [
  'text',
  '1',
  'true',
  '2026-11-20T10:00:00.000Z',
  '2026-11-20',
  'PT1H',
  '1d',
  '0 6 * * *',
  'a-name',
  'A_NAME',
]

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

function textOf(schema: Json): string {
  const { pattern, format } = schema
  if (format === 'date-time') return '2026-11-20T10:00:00.000Z'
  if (format === 'date') return '2026-11-20'
  const fitting =
    typeof pattern === 'string' ? (texts.find((text) => new RegExp(pattern, 'u').test(text)) ?? 'text') : 'text'
  return fitting.padEnd(typeof schema.minLength === 'number' ? schema.minLength : 0, 'x')
}

function numberOf({ minimum, exclusiveMinimum }: Json): number {
  if (typeof exclusiveMinimum === 'number' && exclusiveMinimum > Number.MIN_SAFE_INTEGER) return exclusiveMinimum + 1
  return typeof minimum === 'number' && minimum > 1 ? minimum : 1
}

/** A value for a JSON schema: required fields, one element per list, the first option of each choice. */
export function exampleOfJson(schema: unknown, definitions: Json = {}): unknown {
  if (!isObject(schema)) return {}
  if (typeof schema.$ref === 'string')
    return exampleOfJson(definitions[schema.$ref.split('/').at(-1) ?? ''], definitions)
  if (Array.isArray(schema.examples)) return schema.examples[0]
  if ('const' in schema) return schema.const
  if (Array.isArray(schema.enum)) return schema.enum[0]
  if ('default' in schema && !isObject(schema.default)) return schema.default
  const choices = schema.anyOf ?? schema.oneOf
  if (Array.isArray(choices)) return exampleOfJson(choices[0], definitions)
  if (Array.isArray(schema.allOf))
    return Object.assign({}, ...schema.allOf.map((part) => exampleOfJson(part, definitions)))
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case 'string':
      return textOf(schema)
    case 'integer':
    case 'number':
      return numberOf(schema)
    case 'boolean':
      return true
    case 'array':
      return schema.maxItems === 0 ? [] : [exampleOfJson(schema.items, definitions)]
    case 'null':
      return null
    default: {
      const required = Array.isArray(schema.required) ? schema.required : []
      const properties = isObject(schema.properties) ? schema.properties : {}
      return Object.fromEntries(required.map((name) => [name, exampleOfJson(properties[String(name)], definitions)]))
    }
  }
}

/** The JSON schema of the input. It also fits answers, because their schemas transform nothing. */
export function jsonSchemaOf(schema: z.ZodType): Json {
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
}

/**
 * A value that the schema accepts. `undefined` if the value breaks a rule that JSON schema cannot express; the
 * operation then needs its own `example`.
 */
export function exampleOf(schema: z.ZodType): unknown {
  const json = jsonSchemaOf(schema)
  const value = exampleOfJson(json, isObject(json.$defs) ? json.$defs : {})
  return schema.safeParse(value).success ? value : undefined
}
