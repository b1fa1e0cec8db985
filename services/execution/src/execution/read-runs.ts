import type { Documents } from '@assay/documents'
import { inParts } from '../running/in-parts.ts'
import { executions } from './execution.documents.ts'
import type { Execution } from './execution.ts'

const runsAtOnce = 100

/** Number of values in a run's document, which has the values of each figure that its policy watches. */
function valuesIn(state: Execution): number {
  return state.status === 'succeeded' ? (state.result.judged?.length ?? 0) + state.result.outcomes.length : 1
}

/** The runs with these ids that still exist, in parts. */
export function runsById(
  documents: Pick<Documents, 'find'>,
  tenant: string,
  ids: readonly number[],
): AsyncGenerator<readonly Execution[]> {
  let next = 0
  const read = async (size: number) => {
    const asked = ids.slice(next, next + size)
    next += size
    const where = [{ field: 'id', in: asked }]
    const found = asked.length === 0 ? [] : (await documents.find(executions, tenant, { where, size })).documents
    return { documents: found, isEnd: next >= ids.length }
  }
  return inParts({ atOnce: runsAtOnce, read, valuesIn })
}

/** The runs of a policy that started within a time (epoch milliseconds), newest first, in parts. */
export function runsOfPolicy(
  documents: Pick<Documents, 'find'>,
  tenant: string,
  { policyId, from, to, most }: { policyId: number; from?: number | undefined; to?: number | undefined; most: number },
): AsyncGenerator<readonly Execution[]> {
  let left = most
  let until = to
  const read = async (size: number) => {
    const asked = Math.min(size, left)
    const found = await documents.find(executions, tenant, {
      where: [
        { field: 'policyId', is: policyId },
        ...(from === undefined ? [] : [{ field: 'startedAt', from }]),
        ...(until === undefined ? [] : [{ field: 'startedAt', to: until }]),
      ],
      sort: [{ field: 'startedAt', direction: 'desc' }],
      size: asked,
    })
    const last = found.documents.at(-1)
    left -= found.documents.length
    // A policy has one open run at a time, so no two runs start at the same time.
    until = last === undefined ? until : Date.parse(last.run.startedAt) - 1
    return { documents: found.documents, isEnd: left <= 0 || found.documents.length < asked }
  }
  return inParts({ atOnce: runsAtOnce, read, valuesIn })
}
