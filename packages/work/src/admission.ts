import type { Documents } from '@assay/documents'
import { type OpenJob, openJobLimits, tooManyOpen } from '@assay/service-kit'
import { countOpenWorkOf } from './open-work.ts'

/** Admits one more job of a tenant. Error: `rate-limited` if the tenant has reached its limit. */
export type Admission = (tenant: string) => Promise<OpenJob>

/**
 * Bounds the open work of a tenant. A request that is admitted counts until `end` of the answer is called: call it once
 * the work's entry is written. `what`: the work in plural, for the text of a refusal.
 */
export function createAdmission(deps: {
  documents: Pick<Documents, 'find'>
  kind: string
  what: string
  limit?: number
}): Admission {
  const { documents, kind, what, limit = openJobLimits.perTenant } = deps
  const beingWritten = new Map<string, number>()
  const change = (tenant: string, by: number) => {
    const count = (beingWritten.get(tenant) ?? 0) + by
    if (count > 0) beingWritten.set(tenant, count)
    else beingWritten.delete(tenant)
  }
  return async (tenant) => {
    const count = await countOpenWorkOf(documents, kind, tenant)
    if (count + (beingWritten.get(tenant) ?? 0) >= limit) throw tooManyOpen('This tenant', what, limit)
    change(tenant, 1)
    let by = 1
    return {
      end() {
        change(tenant, -by)
        by = 0
      },
    }
  }
}
