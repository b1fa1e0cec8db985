import { z } from 'zod'
import { type FieldRules, rulesOf } from './field-rules.ts'

/** The field names that are allowed in one object of a request, and in the objects below it. */
export type FieldTree = { rules: readonly FieldRules[] } /** `values`: the only allowed ones, if present. */ & (
  | { kind: 'value'; values?: ReadonlySet<unknown> }
  | { kind: 'list'; element: FieldTree }
  /** Arbitrary names. */
  | { kind: 'map'; value: FieldTree }
  | { kind: 'object'; fields: ReadonlyMap<string, FieldTree> }
  | { kind: 'choice'; discriminator: string | undefined; options: readonly FieldTree[] }
)

const trees = new WeakMap<z.core.$ZodType, FieldTree>()

/** The inner schema of a wrapper, or `undefined`. A preprocessing step has no field names of its own. */
function unwrapped(schema: z.core.$ZodType): z.core.$ZodType | undefined {
  if (schema instanceof z.ZodPipe) return schema.def.in instanceof z.ZodTransform ? schema.def.out : schema.def.in
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodReadonly ||
    schema instanceof z.ZodNonOptional
  )
    return schema.def.innerType
  return undefined
}

function computeTree(schema: z.core.$ZodType): FieldTree {
  const own = rulesOf(schema)
  const rules = Object.keys(own).length === 0 ? [] : [own]
  const inner = own.names ?? unwrapped(schema)
  if (inner !== undefined) {
    const tree = treeOf(inner)
    return rules.length === 0 ? tree : { ...tree, rules: [...rules, ...tree.rules] }
  }
  if (schema instanceof z.ZodArray) return { rules, kind: 'list', element: treeOf(schema.def.element) }
  if (schema instanceof z.ZodRecord) return { rules, kind: 'map', value: treeOf(schema.def.valueType) }
  if (schema instanceof z.ZodUnion) {
    const discriminator = schema instanceof z.ZodDiscriminatedUnion ? schema.def.discriminator : undefined
    return { rules, kind: 'choice', discriminator, options: schema.def.options.map(treeOf) }
  }
  if (schema instanceof z.ZodObject) {
    if (schema.def.catchall instanceof z.ZodUnknown) return { rules, kind: 'map', value: { rules: [], kind: 'value' } }
    const fields = new Map(Object.entries(schema.def.shape).map(([name, field]) => [name, treeOf(field)]))
    return { rules, kind: 'object', fields }
  }
  return { rules, kind: 'value', ...(schema instanceof z.ZodLiteral ? { values: schema.values } : {}) }
}

/** The tree of a schema, computed once. */
export function treeOf(schema: z.core.$ZodType): FieldTree {
  const known = trees.get(schema)
  if (known !== undefined) return known
  const tree = computeTree(schema)
  trees.set(schema, tree)
  return tree
}

/** All field names in a tree, at any depth. */
export function namesIn(tree: FieldTree, into = new Set<string>()): ReadonlySet<string> {
  switch (tree.kind) {
    case 'list':
      return namesIn(tree.element, into)
    case 'map':
      return namesIn(tree.value, into)
    case 'choice':
      for (const option of tree.options) namesIn(option, into)
      return into
    case 'object':
      for (const [name, field] of tree.fields) {
        into.add(name)
        namesIn(field, into)
      }
      return into
    case 'value':
      return into
    default:
      return tree satisfies never
  }
}
