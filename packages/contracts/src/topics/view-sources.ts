import { z } from 'zod'
import type { TableMessage } from './messages.ts'

const ofView = z.object({ kind: z.literal('query') })

/**
 * Ids of the tables that a view reads; none for what is no view. `undefined` for a view that does not tell: it was made
 * before views told. Pure.
 */
export function viewSources(table: Pick<TableMessage, 'locator' | 'sourceIds'>): readonly number[] | undefined {
  return table.sourceIds ?? (ofView.safeParse(table.locator).success ? undefined : [])
}
