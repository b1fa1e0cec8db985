import { incidentOperations as operations } from '@assay/contracts'
import { type Asking, type Documents, findPage } from '@assay/documents'
import type { CommandHandler } from '@assay/event-store'
import { type Caller, type Clock, commandContext, isoTime, type Route, route } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { carefulPage, type ReadRows } from '../listing/careful-page.ts'
import type { NoteEnds } from '../listing/note-ends.ts'
import { oneOf, type PolicyIds } from '../listing/policy-filters.ts'
import { policyRunsAggregate } from '../policy-runs/policy-runs.aggregate.ts'
import type { ShownRuns } from '../reading/masked-outcomes.ts'
import { incidents, type StoredIncident } from './incident.documents.ts'
import type { IncidentChange } from './incident.ts'
import { incidentRecordOf } from './incident-record.ts'
import { createReadHints } from './read-hints.ts'
import { createHiddenIncidents } from './shown-incidents.ts'

/** The verdicts of the runs of incidents. Without permission to see them, an incident must not be found. */
const alarms = ['WARNING', 'ERRORED'] as const

/** Lists, shows and changes incidents. Those that reveal hidden verdicts look like missing ones. */
export function incidentRoutes(deps: {
  documents: Documents
  commands: CommandHandler
  ids: Pick<PolicyIds, 'onAssets'>
  noteEnds: NoteEnds
  shownRuns: ShownRuns
  clock: Clock
}): Route[] {
  const { documents, commands, ids, noteEnds, shownRuns, clock } = deps
  const hiddenOf = createHiddenIncidents({ documents, shownRuns })
  const readHints = createReadHints({ documents, shownRuns, hiddenOf })

  async function recordsOf(call: Caller, stored: readonly StoredIncident[]) {
    const hints = await readHints(
      call,
      stored.map(({ incident }) => incident),
    )
    return stored.map((each) => incidentRecordOf(each, hints.get(each.incident.id) ?? []))
  }

  async function recordOf(call: Caller, stored: StoredIncident) {
    const hints = await readHints(call, [stored.incident])
    return incidentRecordOf(stored, hints.get(stored.incident.id) ?? [])
  }

  /** Throws `not-found`. */
  async function find(call: Caller, id: number) {
    const { tenant } = call.identity
    await noteEnds(tenant)
    const stored = await documents.get(incidents, tenant, id)
    if (stored === undefined || (await hiddenOf(call, [stored.document])).has(id))
      throw new AssayError('not-found', `There is no incident with the id ${id}.`)
    return stored
  }

  return [
    route(operations.listIncidents, async (call) => {
      const { query } = call
      const { tenant } = call.identity
      const { page, size, sortBy, status, assetIds = [], policyId } = query
      const where = [
        ...oneOf('status', status),
        ...(policyId === undefined ? [] : [{ field: 'policyId', is: policyId }]),
        ...(assetIds.length === 0 ? [] : [{ field: 'policyId', in: await ids.onAssets(tenant, assetIds) }]),
      ]
      if (page === 0) await noteEnds(tenant)
      const read: ReadRows<{ stored: StoredIncident; isHidden: boolean }> = async (paging, { isPart }) => {
        const asking: Asking = { listing: call.listing, signal: call.signal, isPart }
        const sort = [paging.sortBy ?? { field: 'openedAt', direction: 'desc' as const }]
        const { page, size } = paging
        const found = await findPage(documents, asking, incidents, { tenant, where, sort, page, size })
        const hidden = await hiddenOf(call, found.documents)
        const rows = found.documents.map((stored) => ({ stored, isHidden: hidden.has(stored.incident.id) }))
        return { rows, count: found.count }
      }
      const statusOf = ({ isHidden }: { isHidden: boolean }) => (isHidden ? 'HIDDEN' : undefined)
      const asked = { page, size, sortBy, resultStatus: alarms }
      const { rows, count } = await carefulPage({ documents, read, statusOf }, call, asked)
      const data = await recordsOf(
        call,
        rows.map(({ stored }) => stored),
      )
      return { body: { data, meta: { count, page, size } } }
    }),
    route(operations.getIncident, async (call) => {
      const { document } = await find(call, call.params.id)
      return { body: await recordOf(call, document) }
    }),
    route(operations.changeIncident, async (call) => {
      const { tenant, user: by } = call.identity
      const incidentId = call.params.id
      const { policyId } = (await find(call, incidentId)).document
      const command = {
        ...{ type: 'ChangeIncident' as const, incidentId, change: changeOf(call.body), by },
        at: isoTime(clock.now()),
      }
      const asked = { tenant, id: policyId, command, context: commandContext(call) }
      const { state } = await commands.handle(policyRunsAggregate, asked)
      if (state.incident === null) throw new AssayError('internal', 'The changed incident is missing.')
      return { body: await recordOf(call, { policyId, incident: state.incident }) }
    }),
  ]
}

interface Asked {
  acknowledged?: boolean | undefined
  snoozedUntil?: number | null | undefined
  assignee?: string | null | undefined
  status?: 'CLOSED' | undefined
  cause?: string | undefined
}

function changeOf({ acknowledged, snoozedUntil, assignee, status, cause }: Asked): IncidentChange {
  return {
    acknowledged,
    snoozedUntil: typeof snoozedUntil === 'number' ? isoTime(snoozedUntil) : snoozedUntil,
    assignee: assignee === undefined ? undefined : assignee || null,
    ...(status === undefined ? {} : { closed: { cause: cause || null } }),
  }
}
