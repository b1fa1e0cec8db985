import type { IncidentHint } from '@assay/contracts'
import type { Documents } from '@assay/documents'
import { isoTime } from '@assay/service-kit'
import { executionTables, type TableCopy } from '../copies/tables.ts'
import { runsById } from '../execution/read-runs.ts'
import type { ShownExecution, ShownRuns } from '../reading/masked-outcomes.ts'
import type { Viewer } from '../rows/mask.ts'
import { type ChangedFiles, type ChangedTable, hintsOf, searchedSince } from './hints.ts'
import { incidents, type StoredIncident } from './incident.documents.ts'
import type { Incident } from './incident.ts'
import type { HiddenIncidents } from './shown-incidents.ts'

/** Maximum number of changed tables, and of other incidents, that are compared with a page of incidents. */
const maxRelated = 500

/** The hints of a page of incidents, by incident. The number of queries does not grow with the page. */
export type ReadHints = (call: Viewer, page: readonly Incident[]) => Promise<ReadonlyMap<number, IncidentHint[]>>

export function createReadHints(deps: {
  documents: Pick<Documents, 'find'>
  shownRuns: ShownRuns
  hiddenOf: HiddenIncidents
}): ReadHints {
  const { documents, shownRuns, hiddenOf } = deps

  async function runsOf(call: Viewer, page: readonly Incident[]): Promise<ReadonlyMap<number, ShownExecution>> {
    const ids = [...new Set(page.flatMap(({ id, lastGood }) => (lastGood === null ? [id] : [id, lastGood])))]
    const runs = new Map<number, ShownExecution>()
    for await (const states of runsById(documents, call.identity.tenant, ids))
      for (const state of await shownRuns.all(call, states)) runs.set(state.run.executionId, state)
    return runs
  }

  /** The tables that views read, by view. */
  async function sourcesOf(tenant: string, page: readonly Incident[]): Promise<ReadonlyMap<number, readonly number[]>> {
    const ids = [...new Set(page.flatMap(({ assets }) => assets.map(({ id }) => id)))]
    const where = [{ field: 'id', in: ids }]
    const found = await documents.find(executionTables, tenant, { where, size: 1_000 })
    return new Map(found.documents.map(({ table }) => [table.assetId, table.sourceIds ?? []]))
  }

  return async (call, page) => {
    const hints = new Map<number, IncidentHint[]>()
    if (page.length === 0) return hints
    const { tenant } = call.identity
    const runs = await runsOf(call, page)
    const sources = await sourcesOf(tenant, page)
    const goodOf = ({ lastGood }: Incident) => (lastGood === null ? undefined : runs.get(lastGood))
    const [since = ''] = page.map((each) => searchedSince(each, goodOf(each))).toSorted()
    const until =
      page
        .map(({ openedAt }) => openedAt)
        .toSorted()
        .at(-1) ?? ''
    const sort = (field: string) => [{ field, direction: 'desc' as const }]
    const changed = await documents.find(executionTables, tenant, {
      where: [{ field: 'schemaChangedAt', from: since, to: until }],
      sort: sort('schemaChangedAt'),
      size: maxRelated,
    })
    const read = [...new Set([...sources.values()].flat())]
    const readBy = await documents.find(executionTables, tenant, {
      where: [{ field: 'id', in: read }],
      size: maxRelated,
    })
    const related = [...sources].flatMap(([view, read]) => [view, ...read])
    const others = await documents.find(incidents, tenant, {
      where: [
        { field: 'assetId', in: related },
        { field: 'openedAt', from: Date.parse(since), to: Date.parse(until) },
      ],
      sort: sort('openedAt'),
      size: maxRelated,
    })
    const hidden = await hiddenOf(call, others.documents)
    const visible = others.documents.filter(({ incident }: StoredIncident) => !hidden.has(incident.id))
    for (const incident of page) {
      const upstream = new Set(incident.assets.flatMap(({ id }) => sources.get(id) ?? []))
      const facts = {
        ...{ opening: runs.get(incident.id), good: goodOf(incident), upstream },
        tables: changed.documents.flatMap(changedTable),
        files: readBy.documents.flatMap(changedFiles),
        incidents: visible.map((each) => each.incident),
      }
      hints.set(incident.id, hintsOf(incident, facts))
    }
    return hints
  }
}

function changedTable({ table }: TableCopy): ChangedTable[] {
  const { assetId, uid, assemblyId, schemaChangedAt } = table
  return schemaChangedAt === undefined ? [] : [{ assetId, uid, assemblyId, schemaChangedAt }]
}

function changedFiles({ table: { assetId, uid, data } }: TableCopy): ChangedFiles[] {
  const at = data?.fileCount == null || data.lastChangedAt === null ? Number.NaN : Date.parse(data.lastChangedAt)
  return Number.isNaN(at) ? [] : [{ assetId, uid, changedAt: isoTime(at) }]
}
