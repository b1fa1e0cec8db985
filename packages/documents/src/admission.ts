import { type OpenJob, openJobLimits, tooManyOpen } from '@assay/service-kit'
import type { Collection, Documents } from './port.ts'

/** Lets one more job of a tenant begin, unless it has as many open ones as it may: `rate-limited`. */
export type Admission = (tenant: string) => Promise<OpenJob>

/**
 * Bounds the jobs of a tenant whose documents say that they are `open`. `end` of what it answers is called when the job's
 * document is written, so that many requests at once are counted, too. `what`: the jobs in plural, as the refusal names them.
 */
export function createAdmission<T>(deps: {
  documents: Pick<Documents, 'find'>
  collection: Collection<T>
  what: string
  limit?: number
}): Admission {
  const { documents, collection, what, limit = openJobLimits.perTenant } = deps
  const beingWritten = new Map<string, number>()
  const change = (tenant: string, by: number) => {
    const count = (beingWritten.get(tenant) ?? 0) + by
    if (count > 0) beingWritten.set(tenant, count)
    else beingWritten.delete(tenant)
  }
  return async (tenant) => {
    const { count } = await documents.find(collection, tenant, { where: [{ field: 'open', is: true }], size: 0 })
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
