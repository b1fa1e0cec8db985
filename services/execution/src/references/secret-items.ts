import type { Execution } from '../execution/execution.ts'
import type { Copies } from './copies.ts'
import { tableNamesIn, tablesCalled } from './find-references.ts'
import { protectedNow } from './tags.ts'

/**
 * The items of a run whose own SELECT reads other tables of which something is protected now. It may have read what has gone or
 * was given another name since, so each table counts that is or was called so.
 */
export async function itemsOnSecretTables(
  documents: Copies,
  tenant: string,
  { run }: Execution,
): Promise<ReadonlySet<number>> {
  const items = new Set<number>()
  const isSecret = new Map<number, boolean>()
  for (const { id, measurementType, value } of run.policy.details.items) {
    const sql = value?.sql
    if (measurementType !== 'SQL_METRIC' || typeof sql !== 'string') continue
    for (const name of tableNamesIn([sql])) {
      const { byName, byPath } = await tablesCalled(documents, tenant, run.table.assemblyId, name)
      for (const { assetId } of [...byName, ...byPath]) {
        const known = isSecret.get(assetId) ?? (await protectedNow(documents, tenant, { assetId })).size > 0
        isSecret.set(assetId, known)
        if (known) items.add(id)
      }
    }
  }
  return items
}
