import { AssayError } from '@assay/service-kit/errors'
import type { DuckDBConnection } from '@duckdb/node-api'
import type { SqlText } from '../plan.ts'
import type { Fragment } from '../sql/fragment.ts'
import { textLiteral } from '../sql/quote.ts'
import { type Form, type Reach, refusalOf } from '../sql/tree/guard.ts'
import { isNode, lowered, type Node, queriesOf, textIn } from '../sql/tree/nodes.ts'
import { type Touched, touchedBy } from '../sql/tree/touched.ts'
import { usesIn } from '../sql/tree/uses.ts'
import { type Parameters, sourcePosition, type Written, writtenSql } from '../sql/written.ts'

/**
 * The parse trees of SQL texts, in order, by DuckDB's own parser. Nothing is bound or run. If a text cannot be parsed,
 * its tree has `error: true`.
 */
export async function parseAll(connection: DuckDBConnection, texts: readonly string[]): Promise<Node[]> {
  if (texts.length === 0) return []
  const trees = texts.map((text) => `json_serialize_sql(${textLiteral(text)})`)
  const reader = await connection.runAndReadAll(`SELECT ${trees.join(', ')}`)
  return (reader.getRows()[0] ?? []).map((text) => {
    const tree: unknown = JSON.parse(String(text))
    return isNode(tree) ? tree : { error: true }
  })
}

/** Users' SQL and what it may read. */
export interface SqlRequest {
  given: SqlText
  reach: Reach
}

/** The tables that a text may read if its tables are not known yet. An expression may read no tables. */
export function anyTable(form: Form): Reach {
  return { form, tables: form === 'select' ? 'any' : [] }
}

/** An expression is parsed as the only column of a SELECT. */
const heads = { expression: 'SELECT ', select: '' }

/** ` (character 12)`: the position in the text as the user wrote it. */
function positionText(written: Written, offset: number | undefined): string {
  return offset === undefined || offset < 0 ? '' : ` (character ${sourcePosition(written, offset)})`
}

/** The parser reports the position of a syntax error in characters, and that of a node in bytes. */
function syntaxError(tree: Node, written: Written, head: string): AssayError {
  if (textIn(tree, 'error_type') === 'not implemented')
    return new AssayError('invalid', 'Only a SELECT is allowed here.')
  const message = textIn(tree, 'error_message')
  const near = /near "([\s\S]*)"$/.exec(message)?.[1]
  const position = Number(tree.position ?? Number.NaN)
  const characters = [...`${head}${written.text}`].slice(0, position).join('').length - head.length
  const shown = Number.isSafeInteger(position) ? positionText(written, characters) : ''
  if (near !== undefined) return new AssayError('invalid', `"${near.slice(0, 64)}" is not expected here.${shown}`)
  if (/end of input/.test(message)) return new AssayError('invalid', 'The SQL ends too early: something is missing.')
  return new AssayError('invalid', `The SQL cannot be parsed: check for a missing bracket, quote or comma.${shown}`)
}

/** Like `positionText`, for a node of the tree. */
function nodePosition(written: Written, form: Form, at: number | undefined): string {
  const head = heads[form]
  const before = Buffer.from(`${head}${written.text}`).subarray(0, at).toString().length - head.length
  return at === undefined ? '' : positionText(written, before)
}

/** The position of the first column or type of that name. `name` is in lower case. */
function offsetOfName(tree: Node, name: string): number | undefined {
  for (const use of usesIn(queriesOf(tree))) {
    if (use.kind === 'column' && use.path.some((part) => lowered(part) === name)) return use.offset
    if (use.kind === 'type' && lowered(use.name) === name) return use.offset
  }
  return undefined
}

function requireHarmless(tree: Node, written: Written, { reach }: SqlRequest): void {
  const head = heads[reach.form]
  if (tree.error !== false) throw syntaxError(tree, written, head)
  const refusal = refusalOf(tree, reach)
  if (refusal === undefined) return
  throw new AssayError('invalid', `${refusal.sentence}${nodePosition(written, reach.form, refusal.at)}`)
}

/** A checked text that may be part of a statement, with what it reads. */
export interface Checked {
  fragment: Fragment
  touched: Touched
  /** ` (character 12)`: the first position of the column or type `name`; '' if there is none. */
  positionOf: (name: string) => string
}
/** `refused`: the reason why a text is refused. */
export type Parsed = Checked | { refused: AssayError }

/**
 * Parses users' SQL to parts of statements, in order. Checks the parse tree of each text before anything of it runs: it
 * must be one expression or one SELECT, and may read and call only what is allowed.
 */
export async function parsed(
  connection: DuckDBConnection,
  requests: readonly SqlRequest[],
  parameters: Parameters,
): Promise<Parsed[]> {
  const written = requests.map(({ given, reach }) => attempt(() => writtenSql(given, reach.form, parameters)))
  const texts = requests.flatMap(({ reach }, index) => {
    const one = written[index]
    return one === undefined || 'refused' in one ? [] : [`${heads[reach.form]}${one.made.text}`]
  })
  const trees = (await parseAll(connection, texts)).values()
  return requests.map((one, index) => {
    const sql = written[index]
    if (sql === undefined || 'refused' in sql)
      return sql ?? { refused: new AssayError('internal', 'Nothing was parsed.') }
    const tree = trees.next().value ?? { error: true }
    const outcome = attempt(() => requireHarmless(tree, sql.made, one))
    if ('refused' in outcome) return outcome
    // The text may end with a comment, which the line break ends.
    const text = one.reach.form === 'expression' ? `(${sql.made.text}\n)` : sql.made.text
    const positionOf = (name: string) => nodePosition(sql.made, one.reach.form, offsetOfName(tree, lowered(name)))
    return { fragment: { text, bindings: sql.made.bindings }, touched: touchedBy(tree), positionOf }
  })
}

function attempt<T>(make: () => T): { made: T } | { refused: AssayError } {
  try {
    return { made: make() }
  } catch (error) {
    if (error instanceof AssayError) return { refused: error }
    throw error
  }
}

/** Like `parsed`, for one text. Rejects with `invalid` if it is refused. */
export async function checkOne(
  connection: DuckDBConnection,
  request: SqlRequest,
  parameters: Parameters,
): Promise<Checked> {
  const [found] = await parsed(connection, [request], parameters)
  if (found === undefined || 'refused' in found)
    throw found?.refused ?? new AssayError('internal', 'Nothing was parsed.')
  return found
}
