import type { TableMessage } from '@assay/contracts'
import type { Documents } from '@assay/documents'
import type { Timers } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { executionTables } from './tables.ts'

/** Milliseconds to wait: a policy may arrive before its table, because they come from different topics. */
const timeoutMs = 2_000
const pauseMs = 50

/** Waits up to two seconds for a table. Throws `unavailable`. */
export async function findTable(
  deps: { documents: Documents; timers: Timers },
  request: { tenant: string; assetId: number; signal: AbortSignal },
): Promise<TableMessage> {
  const { tenant, assetId, signal } = request
  for (let waited = 0; ; waited += pauseMs) {
    const stored = await deps.documents.get(executionTables, tenant, assetId)
    if (stored) return stored.document.table
    if (waited >= timeoutMs || signal.aborted) {
      throw new AssayError('unavailable', 'The table of this policy is not available yet. Try again in a moment.')
    }
    await deps.timers.sleep(pauseMs, signal)
  }
}
