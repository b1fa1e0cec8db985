import { z } from 'zod'
import type { TableMessage } from './messages.ts'

const ofView = z.object({ kind: z.literal('query') })

/**
 * Ids of the tables that a view reads; empty for other assets. `undefined` for a view whose message lacks them. Pure.
 */
export function viewSources(table: Pick<TableMessage, 'locator' | 'sourceIds'>): readonly number[] | undefined {
  return table.sourceIds ?? (ofView.safeParse(table.locator).success ? undefined : [])
}
