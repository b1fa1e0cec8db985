import type { PolicyMessage, TableMessage } from '@assay/contracts'
import type { Documents } from '@assay/documents'
import type { Checkpoints } from '@assay/event-store'
import { kindOf } from '@assay/reliability'
import { type Clock, isoTime } from '@assay/service-kit'
import { followedPolicyOf, tableIdsOf } from '../policy-runs/followed-policy.ts'
import { policyTargets } from '../policy-runs/policy-runs.documents.ts'
import type { RunStreams } from '../policy-runs/run-streams.ts'
import { executionPolicies } from './policies.ts'
import { executionTables } from './tables.ts'

const system = { actor: 'system' }
const pageSize = 500

/** Copies what lists and schedules need from other services' messages to this service's own streams. */
export interface FollowPolicies {
  /** Call it before the policy is stored, so that a reader who sees the policy also finds it in lists. */
  policy(tenant: string, message: PolicyMessage): Promise<void>
  /** Call it before the table is stored: a changed schema triggers runs of the policies that depend on it. */
  changedTable(tenant: string, table: TableMessage): Promise<void>
  /** Call it after the table is stored: adds the assembly to policies that arrived before the table. */
  table(tenant: string, table: TableMessage): Promise<void>
  /** Adds policies that were stored before this list existed. Runs once per installation, by a checkpoint. */
  catchUp(): Promise<void>
}

/** Marks `catchUp` as done. */
const caughtUp = { name: 'execution-policies-followed', position: '0000000000000000001' }

export function createFollowPolicies(deps: {
  documents: Documents
  streams: RunStreams
  checkpoints: Pick<Checkpoints, 'get' | 'set'>
  clock: Clock
}): FollowPolicies {
  const { documents, streams, checkpoints, clock } = deps

  async function assembliesOf(tenant: string, tableIds: readonly number[]): Promise<number[]> {
    const tables = await Promise.all(tableIds.map((id) => documents.get(executionTables, tenant, id)))
    return [...new Set(tables.flatMap((stored) => (stored ? [stored.document.table.assemblyId] : [])))]
  }

  async function found(tenant: string, policyId: number, assemblyIds: readonly number[]): Promise<void> {
    await streams.handle(tenant, policyId, { type: 'FindAssemblies', assemblyIds }, system)
  }

  async function* policiesOn(tenant: string, assetId: number): AsyncGenerator<number> {
    const where = [{ field: 'target', is: String(assetId) }]
    for (let page = 0; ; page += 1) {
      const { documents: targets } = await documents.find(policyTargets, tenant, { where, page, size: pageSize })
      for (const { policyId } of targets) yield policyId
      if (targets.length < pageSize) return
    }
  }

  async function follow(tenant: string, { policy, revision }: Pick<PolicyMessage, 'policy' | 'revision'>) {
    const tableIds = tableIdsOf(policy)
    const known = await assembliesOf(tenant, tableIds)
    const readYourWrites = followedPolicyOf(policy, revision, known)
    const command = { type: 'FollowPolicy' as const, policy: readYourWrites, at: isoTime(clock.now()) }
    await streams.handle(tenant, policy.rule.id, command, system)
    // A table that arrived meanwhile was handled before this policy was in the list.
    const now = known.length < tableIds.length ? await assembliesOf(tenant, tableIds) : known
    if (now.length > known.length) await found(tenant, policy.rule.id, now)
  }

  return {
    policy: follow,
    changedTable: async (tenant, table) => {
      const before = await documents.get(executionTables, tenant, table.assetId)
      if (before === undefined || !hasOtherSchema(before.document.table, table)) return
      const { assetId, revision } = table
      const trigger = { assetId, revision, at: isoTime(clock.now()) }
      for await (const policyId of policiesOn(tenant, assetId)) {
        const { policy } = await streams.load(tenant, policyId)
        if (policy === null || kindOf(policy.type)?.startsAfterCrawl !== true) continue
        await streams.handle(tenant, policyId, { type: 'TriggerRun', trigger }, system)
      }
    },
    table: async (tenant, { assetId, assemblyId }) => {
      for await (const policyId of policiesOn(tenant, assetId)) await found(tenant, policyId, [assemblyId])
    },
    catchUp: async () => {
      if ((await checkpoints.get(caughtUp.name)) !== undefined) return
      for await (const { tenant, document, source } of documents.scan(executionPolicies)) {
        const known = await streams.load(tenant, document.policy.rule.id)
        if (known.policy === null) await follow(tenant, { policy: document.policy, revision: source.revision })
      }
      await checkpoints.set(caughtUp.name, caughtUp.position, 0)
    },
  }
}

const schemaOf = ({ columns }: TableMessage) =>
  columns.map(({ name, dataType, nullable }) => [name, dataType, nullable])

/** Whether a later message has other columns than an earlier one. Deletion changes no columns. */
function hasOtherSchema(before: TableMessage, after: TableMessage): boolean {
  if (after.isDeleted || after.revision <= before.revision) return false
  return JSON.stringify(schemaOf(before)) !== JSON.stringify(schemaOf(after))
}
