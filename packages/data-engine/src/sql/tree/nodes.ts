/** A node of the tree that DuckDB's `json_serialize_sql` returns. */
export interface Node {
  [key: string]: unknown
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * A name in the form in which DuckDB compares names: only ASCII letters are converted to lower case. JavaScript's
 * `toLowerCase` would make other letters equal, such as the Kelvin sign and `k`. A WITH could then seem to shadow a
 * table that it does not shadow.
 */
export function lowered(name: unknown): string {
  return typeof name === 'string' ? name.replace(/[A-Z]/g, (letter) => letter.toLowerCase()) : ''
}

export function textIn(node: Node, key: string): string {
  const value = node[key]
  return typeof value === 'string' ? value : ''
}

export function listIn(node: Node, key: string): readonly unknown[] {
  const value = node[key]
  return Array.isArray(value) ? value : []
}

/** The position of a node in the parsed text; undefined if the parser does not report it. */
export function offsetOf(node: Node): number | undefined {
  const offset = node.query_location
  return typeof offset === 'number' && Number.isSafeInteger(offset) ? offset : undefined
}

/** The queries of the parsed text, one per statement. */
export function queriesOf(tree: Node): Node[] {
  return listIn(tree, 'statements').flatMap((statement) =>
    isNode(statement) && isNode(statement.node) ? [statement.node] : [],
  )
}
