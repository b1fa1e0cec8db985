import type { TableMessage } from '@assay/contracts'
import type { SqlText } from '@assay/data-engine'
import type { Prepare } from '@assay/hosting/ports'
import { refusal } from './refusal.ts'

export interface CheckContext {
  tenant: string
  prepare: Prepare
}

export const sqlText = (text: string): SqlText => ({ sql: text, variables: {} })

/** Engines append lists of alternatives; the first line names the fault. */
export function firstLine(message: string): string {
  return message.split('\n', 1).join('')
}

/** Lets the engine check a filter of a known table. Throws `invalid` naming `path`. */
export async function checkFilter(
  filter: string | null,
  table: TableMessage | undefined,
  path: string,
  { tenant, prepare }: CheckContext,
): Promise<void> {
  if (filter === null || table === undefined) return
  const prepared = await prepare({
    tenant,
    assetId: table.assetId,
    locator: table.locator,
    filter: sqlText(filter),
    metrics: [],
  })
  if (prepared !== 'unreachable' && prepared.filterError !== null) throw refusal(path, firstLine(prepared.filterError))
}
