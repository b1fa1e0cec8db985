import type { Documents } from '@assay/documents'
import { type Clock, createOpenJobs, type JobOwner, type Timers } from '@assay/service-kit'
import { executions } from '../execution/execution.documents.ts'
import { type EndedExecution, hasEnded } from '../execution/execution.ts'
import type { ShownEnd } from '../policy-runs/shown-end.ts'

/** Maximum number of waiting callers in this process. Each holds a connection through the gateway. */
const limits = { perKey: 16, perTenant: 64 }
const maxWaiting = 128
/** Initial poll interval. A run may end in another process, so its document is polled, later every `slowPollMs`. */
const quickPollMs = 50
const quickPolls = 40
const slowPollMs = 500

/**
 * Waits for the end of a run, until lists and incidents show it, too. `undefined` on timeout, if the caller disconnects, if the process stops, or if too many
 * callers wait already. The answer is then the same as without `wait`.
 */
export type EndOfRun = (
  owner: JobOwner,
  executionId: number,
  until: { seconds: number; signals: readonly AbortSignal[] },
) => Promise<EndedExecution | undefined>

export function createEndOfRun(deps: {
  documents: Documents
  clock: Clock
  timers: Pick<Timers, 'sleep'>
  shownEnd: ShownEnd
}): EndOfRun {
  const { documents, clock, timers, shownEnd } = deps
  const waiting = createOpenJobs('starts that wait', limits)
  let total = 0

  async function endedRun(tenant: string, executionId: number): Promise<EndedExecution | undefined> {
    const found = await documents.get(executions, tenant, executionId)
    return found !== undefined && hasEnded(found.document) ? found.document : undefined
  }

  return async (owner, executionId, { seconds, signals }) => {
    const counted = total < maxWaiting ? waiting.tryAdmit(owner) : undefined
    if (counted === undefined) return undefined
    total += 1
    const signal = AbortSignal.any([...signals])
    const end = clock.now() + seconds * 1000
    try {
      for (let polls = 1; ; polls++) {
        const ended = await endedRun(owner.tenant, executionId)
        const left = end - clock.now()
        if (ended !== undefined) await shownEnd(owner.tenant, ended.run.policy.id, executionId, signal)
        if (ended !== undefined || left <= 0 || signal.aborted) return ended
        await timers.sleep(Math.min(left, polls < quickPolls ? quickPollMs : slowPollMs), signal)
      }
    } finally {
      total -= 1
      counted.end()
    }
  }
}
