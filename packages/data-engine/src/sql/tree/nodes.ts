/** A node of the tree that DuckDB's `json_serialize_sql` gives. */
export interface Node {
  [key: string]: unknown
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * A name as DuckDB compares names: only ASCII letters lose their case. JavaScript's own lower case would make other letters
 * equal (the Kelvin sign and `k`), so that a WITH could stand for a table that it does not hide.
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

/** Where a node stands in the parsed text; absent where the parser does not say. */
export function placeOf(node: Node): number | undefined {
  const place = node.query_location
  return typeof place === 'number' && Number.isSafeInteger(place) ? place : undefined
}

/** The queries of the parsed text, one a statement. */
export function queriesOf(tree: Node): Node[] {
  return listIn(tree, 'statements').flatMap((statement) =>
    isNode(statement) && isNode(statement.node) ? [statement.node] : [],
  )
}
