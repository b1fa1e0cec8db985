import { expect, test } from 'vitest'
import { z } from 'zod'
import { closed, type Fields, published } from '../testing/published-records.ts'
import { analyticsPipeline } from './annotations.ts'

const typeNames: Readonly<Record<string, readonly string[]>> = {
  s: ['string'],
  i: ['integer'],
  n: ['number', 'integer'],
  b: ['boolean'],
  a: ['array'],
  o: ['object'],
}

/** Each field with its JSON types, and whether it may be null. */
function fieldsIn(fields: Fields): { name: string; types: readonly string[]; isNullable: boolean }[] {
  return [...fields.matchAll(/([^:]+):(\w)/g)].flatMap(([, names = '', type = '']) =>
    names
      .trim()
      .split(/\s+/)
      .map((name) => ({ name: name.replace('!', ''), types: typeNames[type] ?? [], isNullable: !name.endsWith('!') })),
  )
}

interface JsonSchema {
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  $ref?: string
  properties?: Record<string, JsonSchema>
  required?: string[]
  $defs?: Record<string, JsonSchema>
}

/** The JSON types that a value of the schema can have. */
function typesOf(schema: JsonSchema, root: JsonSchema): string[] {
  const { $ref, anyOf, oneOf, type } = schema
  if ($ref) return typesOf(root.$defs?.[$ref.split('/').at(-1) ?? ''] ?? {}, root)
  const branches = anyOf ?? oneOf
  if (branches) return [...new Set(branches.flatMap((branch) => typesOf(branch, root)))]
  return type === undefined ? [] : [type].flat()
}

function jsonSchemaOf(schema: z.ZodType): JsonSchema & { properties: Record<string, JsonSchema> } {
  // The library types its result more loosely than this test needs.
  const whole = z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any', reused: 'inline' }) as JsonSchema
  const own = whole.$ref ? (whole.$defs?.[whole.$ref.split('/').at(-1) ?? ''] ?? {}) : whole
  return { ...own, $defs: { ...whole.$defs }, properties: own.properties ?? {} }
}

/** The differences between a record's field and the published one. */
function faultsOf(record: JsonSchema, { name, types, isNullable }: ReturnType<typeof fieldsIn>[number]): string[] {
  const found = typesOf(record.properties?.[name] ?? {}, record)
  const others = found.filter((type) => type !== 'null' && !types.includes(type))
  return [
    ...(record.required?.includes(name) ? [] : [`${name} may be absent`]),
    ...(found.length > 0 ? [] : [`${name} has no type`]),
    ...(others.length > 0 ? [`${name} may be ${others}`] : []),
    ...(!isNullable && found.includes('null') ? [`${name} may be null`] : []),
  ]
}

test.each(published)('%s has all its fields, with their types', (_, schema, fields) => {
  const record = jsonSchemaOf(schema)
  expect(fieldsIn(fields).flatMap((field) => faultsOf(record, field))).toEqual([])
})

test.each(closed)('%s is closed: it has exactly its fields, with their types', (_, schema, fields) => {
  const record = jsonSchemaOf(schema)
  const wanted = fieldsIn(fields)
  expect(wanted.flatMap((field) => faultsOf(record, field))).toEqual([])
  expect(Object.keys(record.properties).sort()).toEqual(wanted.map(({ name }) => name).sort())
  const { error } = schema.safeParse({ oneMore: 1 })
  expect(error?.issues).toContainEqual(expect.objectContaining({ code: 'unrecognized_keys', keys: ['oneMore'] }))
})

test('a data plane has no key material', () => {
  const { properties } = jsonSchemaOf(analyticsPipeline)
  expect(Object.keys(properties).filter((name) => /key$/i.test(name))).toEqual([])
})
