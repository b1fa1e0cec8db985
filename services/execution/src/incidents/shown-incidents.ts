import type { Documents } from '@assay/documents'
import { runsById } from '../execution/read-runs.ts'
import type { ShownRuns } from '../reading/masked-outcomes.ts'
import { shownResultStatusOf } from '../reading/shown-status.ts'
import type { Viewer } from '../rows/mask.ts'
import type { StoredIncident } from './incident.documents.ts'
import type { Incident } from './incident.ts'

/** Incidents that reveal a verdict that is hidden from the caller: those with a run whose verdict is hidden. */
export type HiddenIncidents = (call: Viewer, incidents: readonly StoredIncident[]) => Promise<ReadonlySet<number>>

export function createHiddenIncidents(deps: {
  documents: Pick<Documents, 'find'>
  shownRuns: ShownRuns
}): HiddenIncidents {
  const { documents, shownRuns } = deps
  return async (call, incidents) => {
    const { tenant, permissions } = call.identity
    if (permissions.has('ASSET_PROTECTED_VIEW') || incidents.length === 0) return new Set()
    const ids = [...new Set(incidents.flatMap(({ incident }) => runsOf(incident)))]
    const hidden = new Set<number>()
    for await (const states of runsById(documents, tenant, ids))
      for (const state of await shownRuns.all(call, states))
        if (shownResultStatusOf(state) === 'HIDDEN') hidden.add(state.run.executionId)
    const hides = ({ incident }: StoredIncident) => runsOf(incident).some((id) => hidden.has(id))
    return new Set(incidents.filter(hides).map(({ incident }) => incident.id))
  }
}

/** The known runs of an incident, including the one that ended it. */
export function runsOf({ executions, recovered }: Incident): number[] {
  return recovered === null ? executions : [...executions, recovered.executionId]
}
