import { type DocumentPut, defineCollection, documentPut, type Source } from '@assay/documents'
import { duePut, newWork, openWorkPut } from '@assay/work'
import { z } from 'zod'
import { incidentDocuments } from '../incidents/incident.documents.ts'
import { type PolicyRuns, type PolicyRunsEvent, policyRuns } from './policy-runs.ts'

const time = (text: string | null | undefined) => (text ? Date.parse(text) : null)

/**
 * One document per policy with its latest run: the fields by which lists filter and sort. Times are epoch milliseconds.
 */
export const policyRunsCollection = defineCollection<PolicyRuns>({
  name: 'execution_policy_runs',
  version: 10,
  idType: 'integer',
  schema: policyRuns,
  fields: {
    open: { type: 'boolean', of: ({ open }) => open !== null },
    known: { type: 'boolean', of: ({ policy }) => policy !== null },
    name: { type: 'text', of: ({ policy }) => policy?.name ?? null },
    ruleType: { type: 'text', of: ({ policy }) => policy?.type ?? null },
    status: {
      type: 'text',
      of: ({ policy }) => (policy?.archived ? 'ARCHIVED' : policy?.enabled ? 'ENABLED' : 'DISABLED'),
    },
    enabled: { type: 'boolean', of: ({ policy }) => policy?.enabled ?? null },
    version: { type: 'integer', of: ({ policy }) => policy?.version ?? null },
    createdAt: { type: 'integer', of: ({ policy }) => policy?.createdAt ?? null },
    updatedAt: { type: 'integer', of: ({ policy }) => policy?.updatedAt ?? null },
    assemblyId: { type: 'integer', of: ({ policy }) => policy?.assemblyIds[0] ?? null },
    /** For a policy that compares tables of two assemblies. */
    otherAssemblyId: { type: 'integer', of: ({ policy }) => policy?.assemblyIds[1] ?? null },
    executionStatus: { type: 'text', of: ({ open, latest }) => (open ? 'RUNNING' : (latest?.executionStatus ?? null)) },
    resultStatus: { type: 'text', of: ({ open, latest }) => (open ? 'RUNNING' : (latest?.resultStatus ?? null)) },
    startedAt: { type: 'integer', of: ({ open, latest }) => time(open ? open.at : latest?.startedAt) },
    /** Key of a version. */
    learned: { type: 'text', of: ({ learned }) => learned },
    finishedAt: { type: 'integer', of: ({ open, latest }) => (open ? null : time(latest?.finishedAt)) },
  },
})

const policyTarget = z.object({ policyId: z.int(), target: z.string() })
/** One document per table or column that a policy checks. */
export const policyTargets = defineCollection<z.infer<typeof policyTarget>>({
  name: 'execution_policy_targets',
  version: 1,
  idType: 'text',
  schema: policyTarget,
  fields: {
    policyId: { type: 'integer', of: ({ policyId }) => policyId },
    target: { type: 'text', of: ({ target }) => target },
  },
})

/** The `kind` of scheduled policies in the due book. */
export const policyDue = 'policy'

/** The `kind` of policies with a triggered run in the due book. */
export const triggeredDue = 'triggered policy'

/** The `kind` of policies with a deadline in the due book. */
export const deadlineDue = 'policy deadline'

/** The documents of one policy's stream of runs, except its targets. */
export function policyRunsDocuments(
  state: PolicyRuns,
  { tenant, id }: { tenant: string; id: string | number },
  source: Source,
): DocumentPut[] {
  const policyId = Number(id)
  const { triggered, watch, policy, open } = state
  const isWatched = policy?.enabled === true && !policy.archived && open === null
  return [
    duePut({ kind: policyDue, tenant, id: policyId }, state.due, source),
    // Policies that no crawl has triggered yet have no entry to remove.
    ...(triggered === null
      ? []
      : [duePut({ kind: triggeredDue, tenant, id: policyId }, triggered.isDue ? triggered.trigger.at : null, source)]),
    ...(watch === null
      ? []
      : [duePut({ kind: deadlineDue, tenant, id: policyId }, isWatched ? watch.deadline : null, source)]),
    documentPut(policyRunsCollection, tenant, policyId, state, source),
  ]
}

/** The `kind` of policies with an open run in `openWork`. Ids: `<policy id>/<execution id>`. */
export const openPolicyWork = 'policy run'

/** Documents that only some events change: the policy's targets and incidents, and whether a run of it is open. */
export function policyRunsEventDocuments(
  event: PolicyRunsEvent,
  key: { tenant: string; id: string },
  source: Source,
): DocumentPut[] {
  if (event.type === 'PolicyFollowed') return targetDocuments(event, key, source)
  if ('incident' in event.data) return incidentDocuments(event.data.incident, key, source)
  if (event.type !== 'RunOpened' && event.type !== 'RunEnded') return []
  const { executionId, at: since } = event.data
  const of = { kind: openPolicyWork, tenant: key.tenant, id: `${key.id}/${executionId}`, since }
  return [openWorkPut(of, event.type === 'RunOpened' ? newWork : null, source)]
}

type PolicyFollowed = Extract<PolicyRunsEvent, { type: 'PolicyFollowed' }>
function targetDocuments(event: PolicyFollowed, key: { tenant: string; id: string }, source: Source): DocumentPut[] {
  const policyId = Number(key.id)
  const put = (target: string, document: { policyId: number; target: string } | null) =>
    documentPut(policyTargets, key.tenant, `${policyId}/${target}`, document, source)
  const { policy, dropped } = event.data
  return [
    ...dropped.map((target) => put(target, null)),
    ...policy.targets.map((target) => put(target, { policyId, target })),
  ]
}
