import type { Documents } from '@assay/documents'
import { type Clock, createOpenJobs, type JobOwner, type Timers } from '@assay/service-kit'
import { executions } from '../execution/execution.documents.ts'
import { type EndedExecution, hasEnded } from '../execution/execution.ts'

/** Maximum number of waiting callers in this process. Each keeps a connection through the gateway open. */
const limits = { perKey: 16, perTenant: 64 }
const mostInAll = 128
/** A run may end in another process, so its document is polled: often at first, then every `slowLookMs`. */
const quickLookMs = 50
const quickLooks = 40
const slowLookMs = 500

/**
 * Waits for the end of a run. `undefined` on timeout, if the caller leaves, if the process stops, or if too many
 * callers wait already: the answer is then the same as without `wait`.
 */
export type EndOfRun = (
  owner: JobOwner,
  executionId: number,
  until: { seconds: number; signals: readonly AbortSignal[] },
) => Promise<EndedExecution | undefined>

export function createEndOfRun(deps: { documents: Documents; clock: Clock; timers: Pick<Timers, 'sleep'> }): EndOfRun {
  const { documents, clock, timers } = deps
  const waiting = createOpenJobs('starts that wait', limits)
  let inAll = 0

  async function look(tenant: string, executionId: number): Promise<EndedExecution | undefined> {
    const found = await documents.get(executions, tenant, executionId)
    return found !== undefined && hasEnded(found.document) ? found.document : undefined
  }

  return async (owner, executionId, { seconds, signals }) => {
    const counted = inAll < mostInAll ? waiting.tryAdmit(owner) : undefined
    if (counted === undefined) return undefined
    inAll += 1
    const signal = AbortSignal.any([...signals])
    const end = clock.now() + seconds * 1000
    try {
      for (let looks = 1; ; looks++) {
        const ended = await look(owner.tenant, executionId)
        const left = end - clock.now()
        if (ended !== undefined || left <= 0 || signal.aborted) return ended
        await timers.sleep(Math.min(left, looks < quickLooks ? quickLookMs : slowLookMs), signal)
      }
    } finally {
      inAll -= 1
      counted.end()
    }
  }
}
