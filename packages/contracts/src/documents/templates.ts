import { z } from 'zod'
import type { Operation } from '../operations/operation.ts'
import { operations } from '../operations/table.ts'

const parameter = /\{(\w+)\}/g
const shapeOf = (path: string): string => path.replace(parameter, '{}')

/** Paths by their shape, because OpenAPI treats paths that differ only in parameter names as one path. */
const templates = new Map<string, string>()
for (const { path } of operations) {
  const known = templates.get(shapeOf(path))
  // Prefers the name that longer paths use: `/rules/data-quality/{id}` and `/rules/data-quality/{id}/unarchive`.
  if (known === undefined || path.includes('{id}')) templates.set(shapeOf(path), path)
}

/**
 * The path of an operation in the OpenAPI document, in which paths that differ only in parameter names become one path.
 */
export function documentedPathOf(path: string): string {
  return templates.get(shapeOf(path)) ?? path
}

/** Names of path parameters in the document, by their names in the table. */
export function documentedNamesOf(path: string): ReadonlyMap<string, string> {
  const shown = [...documentedPathOf(path).matchAll(parameter)].map(([, name]) => name ?? '')
  return new Map([...path.matchAll(parameter)].map(([, name], at) => [name ?? '', shown[at] ?? '']))
}

/** An operation, with its path and parameters as the document names them. */
export function asDocumented(operation: Operation): Operation {
  const path = documentedPathOf(operation.path)
  if (path === operation.path || !(operation.params instanceof z.ZodObject)) return operation
  const names = documentedNamesOf(operation.path)
  const fields = Object.entries(operation.params.shape).map(([name, field]) => [names.get(name) ?? name, field])
  return { ...operation, path, params: z.object(Object.fromEntries(fields)) }
}
