import type { Documents } from '@assay/documents'
import { inParallel } from '@assay/service-kit/in-parallel'
import { scoresUpTo } from '../scores/score.ts'
import type { DeliveryRequest } from './outbox.ts'

const runsAtOnce = 8

/** The run whose scores a delivery shows; `undefined` if it shows none. Only mails have a plot. */
function plottedRun({ channel, message: { data } }: DeliveryRequest) {
  const { policyId, executionId } = data
  if (channel.type !== 'EMAIL' || policyId === null || executionId === null) return undefined
  return { key: `${policyId}/${executionId}`, policyId, executionId }
}

/** Adds the scores of the policy to mails about its runs. Reads them once per run, because a run may have many recipients. */
export async function withScores(
  documents: Pick<Documents, 'find' | 'get'>,
  tenant: string,
  requests: readonly DeliveryRequest[],
): Promise<DeliveryRequest[]> {
  const runs = new Map(
    requests.flatMap((request) => {
      const run = plottedRun(request)
      return run === undefined ? [] : [[run.key, run] as const]
    }),
  )
  const read = await inParallel(
    [...runs.values()],
    runsAtOnce,
    async (run) => [run.key, await scoresUpTo(documents, tenant, run)] as const,
  )
  const histories = new Map(read)
  return requests.map((request) => {
    const run = plottedRun(request)
    return run === undefined ? request : { ...request, history: histories.get(run.key) }
  })
}
