import type { Documents } from '@assay/documents'
import type { KindPolicy } from '@assay/reliability'
import type { Timers } from '@assay/service-kit'
import { isAssayError } from '@assay/service-kit/errors'
import { findTable } from '../copies/find-table.ts'
import { bySideInTurn } from '../execution/sides.ts'
import { windowOf } from '../running/run-window.ts'
import type { Start } from './start-run.ts'

/**
 * Throws `invalid`, naming the field, if the markers of a SELECTIVE start have no bounds, bounds in the wrong order, or a
 * column that its tables do not have.
 */
export async function assertMarkersFit(
  deps: { documents: Documents; timers: Timers },
  { tenant, request, signal }: Pick<Start, 'tenant' | 'request' | 'signal'>,
  definition: KindPolicy,
): Promise<void> {
  const { executionType, markerConfigs = null } = request
  if (executionType !== 'SELECTIVE') return
  const found = await bySideInTurn(definition.sides, async ({ side, assetId }) => {
    const { columns, locator } = await findTable(deps, { tenant, assetId, signal })
    return { table: { side, assetId, columns }, locator }
  })
  const [first, ...others] = found
  const tables = [first.table, ...others.map(({ table }) => table)] as const
  for (const { table, locator } of found)
    try {
      windowOf({ executionType, markerConfigs, definition, tables }, table, { dataset: locator, mark: null })
    } catch (error) {
      // Markers that the source does not support are refused later, like other starts that are impossible now.
      if (!isAssayError(error, 'unprocessable')) throw error
    }
}
