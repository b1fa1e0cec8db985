import type { TableMessage } from '@assay/contracts'
import type { SqlText } from '@assay/data-engine'
import type { Prepare } from '@assay/hosting/ports'
import { storedMarkerProblem } from '@assay/reliability'
import type { Target } from '../policy/definition.ts'
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

/** A stored marker that reads a column must fit it. Unusable kinds of markers pass here: a run with them is refused. */
export function checkMarker({ marker }: Target, table: TableMessage | undefined, at: string): void {
  if (table === undefined || marker === null) return
  const problem = storedMarkerProblem(marker, { columns: table.columns, isFiles: true, isTopic: true })
  if (problem !== undefined) throw refusal(`${at}.marker.${problem.path}`, problem.message)
}
