import { isNode, listIn, lowered, type Node, offsetOf, textIn } from './nodes.ts'

interface Positioned {
  /** The position in the parsed text. */
  offset: number | undefined
}

/** Something that a parsed text reads or calls. Names are as written. */
export type Use = Positioned &
  (
    | { kind: 'table'; catalog: string; schema: string; name: string; alias: string; renames: boolean }
    | { kind: 'table-function'; qualified: boolean; name: string }
    | { kind: 'function'; qualified: boolean; name: string; arguments: number }
    /** `path`: the names, from the table or column inwards. */
    | { kind: 'column'; path: readonly string[] }
    /** Columns that are not named individually, but read by a star, a pattern, a position, or a natural join. */
    | { kind: 'columns' }
    /** A type that is not built into the parser. */
    | { kind: 'type'; name: string }
    /** An alias of a table in a query. */
    | { kind: 'alias'; name: string }
    /** Something that is never allowed. `what`: its name. */
    | { kind: 'refused'; what: string }
  )

const queries = new Set(['SELECT_NODE', 'SET_OPERATION_NODE', 'RECURSIVE_CTE_NODE'])
const sources = new Set(['EMPTY', 'BASE_TABLE', 'SUBQUERY', 'JOIN', 'TABLE_FUNCTION', 'EXPRESSION_LIST', 'PIVOT'])
const expressions = new Set(
  `BETWEEN CASE CAST COLLATE COLUMN_REF COMPARISON CONJUNCTION CONSTANT FUNCTION LAMBDA LAMBDA_REF OPERATOR PARAMETER
   POSITIONAL_REFERENCE STAR SUBQUERY TYPE WINDOW`.split(/\s+/),
)
/** Keys of nodes after FROM. */
const sourceKeys = new Set(['from_table', 'source'])
/** The schemas with which the parser writes built-in functions. */
const ownSchemas = new Set(['', 'main', 'pg_catalog'])

type Names = ReadonlySet<string>

/**
 * Names that the text itself defines: tables of a WITH, parameters of a lambda. `nameOf`: the form in which names of
 * tables are compared.
 */
interface Scope {
  tables: Names
  parameters: Names
  nameOf: (name: unknown) => string
}

const nothingDefined: Scope = { tables: new Set(), parameters: new Set(), nameOf: lowered }

/** For SQL of another database: only names that are written alike are certainly the same there. */
export const asWritten: Scope = { ...nothingDefined, nameOf: String }

/**
 * Everything that a parsed text reads or calls. A name that a WITH or a lambda defines is not a table or column within
 * its scope. Anything that is not known to be harmless is `refused`, so that a new kind of node of a later parser
 * cannot pass unchecked. Pure.
 */
export function* usesIn(value: unknown, scope: Scope = nothingDefined): Generator<Use> {
  if (Array.isArray(value)) {
    for (const part of value) yield* usesIn(part, scope)
    return
  }
  if (!isNode(value)) return
  yield* ownUses(value, scope)
  const bound = parametersOf(value)
  const isQuery = 'cte_map' in value
  const parameters = isQuery ? nothingDefined.parameters : new Set([...scope.parameters, ...(bound ?? [])])
  const { nameOf } = scope
  let { tables } = scope
  if (isNode(value.cte_map)) {
    for (const entry of listIn(value.cte_map, 'map')) {
      if (!isNode(entry)) continue
      // The query of a WITH can use the earlier queries. Only a recursive query can use itself, and only in its second
      // half.
      yield* usesIn(entry.value, { tables, parameters, nameOf })
      tables = new Set([...tables, nameOf(entry.key)])
    }
  }
  for (const [key, part] of Object.entries(value)) {
    if (typeof part !== 'object' || part === null || key === 'cte_map') continue
    if (key === 'lhs' && bound !== undefined) continue
    const isRecursion = value.type === 'RECURSIVE_CTE_NODE' && key === 'right'
    const seen = isRecursion ? new Set([...tables, nameOf(value.cte_name)]) : tables
    yield* usesIn(part, { tables: seen, parameters, nameOf })
  }
}

/**
 * The parameters of `lambda x, y:`, as written; `undefined` for everything else that the parser represents as a lambda.
 * `x -> …` is not a lambda here, because it may also read a field of the JSON column `x`: the parser gives a position
 * for `x` only there. `(expression) -> …` is not one either: its left side is checked like any other expression.
 */
function parametersOf(node: Node): string[] | undefined {
  const { lhs } = node
  if (textIn(node, 'class') !== 'LAMBDA' || !isNode(lhs)) return undefined
  const names = parametersIn(lhs).map(parameterOf)
  return names.length > 0 && names.every((name) => name !== undefined) ? names : undefined
}

/** A single parameter is a column reference; several are in a `row` call of the parser. */
function parametersIn(lhs: Node): readonly unknown[] {
  if (textIn(lhs, 'class') === 'COLUMN_REF') return [lhs]
  const isRow = textIn(lhs, 'class') === 'FUNCTION' && textIn(lhs, 'function_name') === 'row'
  const children = listIn(lhs, 'children')
  return isRow && textIn(lhs, 'schema') === '' && textIn(lhs, 'catalog') === '' && children.length > 1 ? children : []
}

function parameterOf(one: unknown): string | undefined {
  if (!isNode(one) || textIn(one, 'class') !== 'COLUMN_REF' || offsetOf(one) !== undefined) return undefined
  const path = listIn(one, 'column_names')
  return path.length === 1 ? String(path[0]) : undefined
}

function* ownUses(node: Node, scope: Scope): Generator<Use> {
  const offset = offsetOf(node)
  if ('class' in node) yield* expressionUses(node, offset, scope.parameters)
  else if ('cte_map' in node) {
    if (!queries.has(textIn(node, 'type'))) yield { kind: 'refused', what: textIn(node, 'type'), offset }
  } else if (isSource(node)) yield* sourceUses(node, offset, scope)
  // The type may be in another catalog.
  if ('user_type_modifiers' in node && (textIn(node, 'catalog') !== '' || textIn(node, 'schema') !== ''))
    yield { kind: 'refused', what: `the type ${textIn(node, 'name')}`, offset }
  if (isNode(node.sample) && !(Number(node.sample.seed) >= 0))
    yield { kind: 'refused', what: 'a random SAMPLE', offset }
  for (const key of sourceKeys) {
    const source = node[key]
    if (isNode(source) && !isSource(source)) yield { kind: 'refused', what: textIn(source, 'type'), offset }
  }
}

/**
 * Whether a node is a source after FROM. Only sources have a type, an alias and a sample, and only they are not
 * expressions.
 */
function isSource(node: Node): boolean {
  return 'type' in node && 'alias' in node && 'sample' in node
}

function* expressionUses(node: Node, offset: number | undefined, parameters: Names): Generator<Use> {
  const form = textIn(node, 'class')
  if (!expressions.has(form)) yield { kind: 'refused', what: form, offset }
  const called = textIn(node, 'function_name')
  if (called !== '') {
    const qualified = textIn(node, 'catalog') !== '' || !ownSchemas.has(lowered(node.schema))
    yield { kind: 'function', qualified, name: called, arguments: listIn(node, 'children').length, offset }
  }
  if (form === 'COLUMN_REF') {
    const path = listIn(node, 'column_names').map((name) => String(name))
    // A field of a parameter could be a column of a table that has the parameter's name. If a parameter gets an alias,
    // as in `lambda x: {'key': x}`, the engine reads a column.
    const isParameter = path.length === 1 && parameters.has(path[0] ?? '') && textIn(node, 'alias') === ''
    if (!isParameter) yield { kind: 'column', path, offset }
  }
  if (form === 'STAR' || form === 'POSITIONAL_REFERENCE') yield { kind: 'columns', offset }
  const type =
    isNode(node.cast_type) && isNode(node.cast_type.type_info) ? textIn(node.cast_type.type_info, 'name') : ''
  if (type !== '') yield { kind: 'type', name: type, offset }
}

function* sourceUses(node: Node, offset: number | undefined, scope: Scope): Generator<Use> {
  const type = textIn(node, 'type')
  if (!sources.has(type)) {
    yield { kind: 'refused', what: type === 'SHOW_REF' ? 'DESCRIBE, SHOW or SUMMARIZE' : type, offset }
    // The node may be the name of a table, or contain a query, which the walk visits.
    if (textIn(node, 'table_name') !== '') yield* tableUses(node, { alias: '', renames: false, offset }, nothingDefined)
    return
  }
  const renames = listIn(node, 'column_name_alias').length > 0
  const alias = textIn(node, 'alias')
  if (alias !== '') yield { kind: 'alias', name: alias, offset }
  if (type === 'BASE_TABLE') yield* tableUses(node, { alias, renames, offset }, scope)
  if (type === 'TABLE_FUNCTION') {
    const called = isNode(node.function) ? node.function : {}
    const qualified = textIn(called, 'catalog') !== '' || !ownSchemas.has(lowered(called.schema))
    yield { kind: 'table-function', qualified, name: textIn(called, 'function_name'), offset }
  }
  if (type === 'PIVOT') {
    yield { kind: 'columns', offset }
    const isByEnum = listIn(node, 'pivots').some((pivot) => isNode(pivot) && textIn(pivot, 'pivot_enum') !== '')
    if (isByEnum) yield { kind: 'refused', what: 'PIVOT over a type', offset }
  }
  if (type === 'JOIN') {
    for (const name of listIn(node, 'using_columns')) yield { kind: 'column', path: [String(name)], offset }
    if (textIn(node, 'ref_type') === 'NATURAL') yield { kind: 'columns', offset }
  }
}

function* tableUses(
  node: Node,
  more: { alias: string; renames: boolean; offset: number | undefined },
  { tables, nameOf }: Scope,
): Generator<Use> {
  const [catalog, schema, name] = [
    textIn(node, 'catalog_name'),
    textIn(node, 'schema_name'),
    textIn(node, 'table_name'),
  ]
  if (isNode(node.at_clause)) yield { kind: 'refused', what: 'AT', offset: more.offset }
  const isDefined = catalog === '' && schema === '' && tables.has(nameOf(name))
  if (isDefined) yield { kind: 'alias', name, offset: more.offset }
  else yield { kind: 'table', catalog, schema, name, ...more }
}
