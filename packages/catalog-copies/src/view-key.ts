import { createHash } from 'node:crypto'
import type { TableMessage } from '@assay/contracts'
import { z } from 'zod'

const created = z.object({ kind: z.literal('query'), sql: z.string(), variables: z.unknown().optional() })
const crawled = z.object({ kind: z.enum(['table', 'relation']), definition: z.string() })
const viewLocator = z.union([created, crawled])
/** Most assets are no views, and composing an error for each of them takes longer than the check. */
const unread = { error: () => 'is not a view' }

/** Identifies a view's own definition and the tables that it names; `undefined` for other assets. Pure. */
export function viewKey({ locator, sourceIds }: Pick<TableMessage, 'locator' | 'sourceIds'>): string | undefined {
  const definition = viewLocator.safeParse(locator, unread).data
  if (sourceIds === undefined && definition === undefined) return undefined
  const shown = [definition ?? null, sourceIds?.toSorted((a, b) => a - b) ?? null]
  return hashOf(shown)
}

/** Pure. */
export function hashOf(shown: unknown): string {
  return createHash('sha256').update(JSON.stringify(shown)).digest('base64url').slice(0, 22)
}
