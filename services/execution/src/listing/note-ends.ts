import type { Documents } from '@assay/documents'
import { executions } from '../execution/execution.documents.ts'
import { hasEnded } from '../execution/execution.ts'
import { policyRunsCollection } from '../policy-runs/policy-runs.documents.ts'
import type { RunRegister } from '../policy-runs/run-register.ts'
import type { ShownEnd } from '../policy-runs/shown-end.ts'

const maxOpen = 1_000

/**
 * The document of a policy and its incident are updated shortly after its run has ended. A caller who has seen the end
 * must not find the run as open in lists, nor miss its incident.
 */
export type NoteEnds = (tenant: string) => Promise<void>

export function createNoteEnds(deps: {
  documents: Pick<Documents, 'find'>
  register: Pick<RunRegister, 'mend'>
  shownEnd: ShownEnd
}): NoteEnds {
  const { documents, register, shownEnd } = deps
  return async (tenant) => {
    const where = [{ field: 'open', is: true }]
    const { documents: open } = await documents.find(policyRunsCollection, tenant, { where, size: maxOpen })
    const ids = open.flatMap((runs) => (runs.open ? [runs.open.executionId] : []))
    if (ids.length === 0) return
    // Does not read runs that continue, because there may be many.
    const ended = [
      { field: 'id', in: ids },
      { field: 'finishedAt', from: 0 },
    ]
    const { documents: states } = await documents.find(executions, tenant, { where: ended, size: ids.length })
    await Promise.all(
      states.filter(hasEnded).map(async ({ run: { policy, executionId } }) => {
        // Another process may have closed it, and not have put the documents yet.
        if (await register.mend(tenant, policy.id)) await shownEnd(tenant, policy.id, executionId)
      }),
    )
  }
}
