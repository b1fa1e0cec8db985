import { describe, expect, it, test } from 'vitest'
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

/** Name by name: its JSON types, and whether it may be null. */
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
  // The library types what it makes more loosely than what is looked at here.
  const whole = z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any', reused: 'inline' }) as JsonSchema
  const own = whole.$ref ? (whole.$defs?.[whole.$ref.split('/').at(-1) ?? ''] ?? {}) : whole
  return { ...own, $defs: { ...whole.$defs }, properties: own.properties ?? {} }
}

describe.each(published)('%s', (_, schema, fields) => {
  const record = jsonSchemaOf(schema)
  it.each(fieldsIn(fields))('has $name', ({ name, types, isNullable }) => {
    expect(record.required).toContain(name)
    const found = typesOf(record.properties[name] ?? {}, record)
    expect(found.filter((type) => type !== 'null').every((type) => types.includes(type))).toBe(true)
    expect(found).not.toEqual([])
    if (!isNullable) expect(found).not.toContain('null')
  })
})

describe.each(closed)('%s is closed', (_, schema, fields) => {
  const record = jsonSchemaOf(schema)
  const wanted = fieldsIn(fields)
  it('has just its fields, and takes no further one', () => {
    expect(Object.keys(record.properties).sort()).toEqual(wanted.map(({ name }) => name).sort())
    expect(record.required?.toSorted()).toEqual(wanted.map(({ name }) => name).sort())
    const { error } = schema.safeParse({ oneMore: 1 })
    expect(error?.issues).toContainEqual(expect.objectContaining({ code: 'unrecognized_keys', keys: ['oneMore'] }))
  })
  it.each(wanted)('has $name in its type', ({ name, types, isNullable }) => {
    const found = typesOf(record.properties[name] ?? {}, record)
    expect(found.filter((type) => type !== 'null').every((type) => types.includes(type))).toBe(true)
    if (!isNullable) expect(found).not.toContain('null')
  })
})

test('a data plane has no key material', () => {
  const { properties } = jsonSchemaOf(analyticsPipeline)
  expect(Object.keys(properties).filter((name) => /key$/i.test(name))).toEqual([])
})
