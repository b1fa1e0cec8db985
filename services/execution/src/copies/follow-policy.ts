import type { PolicyMessage, TableMessage } from '@assay/contracts'
import type { Documents } from '@assay/documents'
import type { Checkpoints } from '@assay/event-store'
import { kindOf } from '@assay/reliability'
import { type Clock, isoTime } from '@assay/service-kit'
import { followedPolicyOf, tableIdsOf } from '../policy-runs/followed-policy.ts'
import type { PolicyRuns } from '../policy-runs/policy-runs.ts'
import type { RunStreams } from '../policy-runs/run-streams.ts'
import { policiesOn, triggerRuns } from '../policy-runs/trigger-runs.ts'
import { catchUpOnce } from './catch-up-once.ts'
import { executionPolicies } from './policies.ts'
import { tableChanges } from './table-changes.ts'
import { executionTables } from './tables.ts'

const system = { actor: 'system' }
/**
 * A new version of a policy with deadlines runs after this time at the latest, because only a run can determine a
 * deadline.
 */
const checkMs = 30_000

/** Copies what lists and schedules need from other services' messages to this service's own streams. */
export interface FollowPolicies {
  /**
   * Call it before the policy is stored, so that a reader who sees the policy also finds it in lists. Triggers a run for
   * a schema that changed after the policy was created, if the table's message arrived before the policy's.
   */
  policy(tenant: string, message: PolicyMessage): Promise<void>
  /** Call it before the table is stored: another schema or new data triggers runs of the policies that depend on it. */
  changedTable(tenant: string, table: TableMessage): Promise<void>
  /** Call it after the table is stored: adds the assembly to policies that arrived before the table. */
  table(tenant: string, table: TableMessage): Promise<void>
  /** Adds policies that were stored before this list existed. Runs once per installation, by a checkpoint. */
  catchUp(): Promise<void>
}

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

  async function follow(tenant: string, { policy, revision }: Pick<PolicyMessage, 'policy' | 'revision'>) {
    const tableIds = tableIdsOf(policy)
    const known = await assembliesOf(tenant, tableIds)
    const readYourWrites = followedPolicyOf(policy, revision, known)
    const now = clock.now()
    const check = kindOf(policy.rule.type).hasDeadlines?.(policy) === true ? { check: isoTime(now + checkMs) } : {}
    const command = { type: 'FollowPolicy' as const, policy: readYourWrites, at: isoTime(now), ...check }
    await streams.handle(tenant, policy.rule.id, command, system)
    // A table that arrived meanwhile was handled before this policy was in the list.
    const later = known.length < tableIds.length ? await assembliesOf(tenant, tableIds) : known
    if (later.length > known.length) await found(tenant, policy.rule.id, later)
  }

  /** `before`: the policy's runs before its message. Only its first message can have been overtaken. */
  async function triggerOvertaken(tenant: string, { policy, revision }: PolicyMessage, before: PolicyRuns) {
    const isFirst = before.policy === null || before.policy.revision === revision
    if (!isFirst || kindOf(policy.rule.type).startsAfter?.includes('SCHEMA') !== true) return
    const last = before.triggered?.trigger
    for (const assetId of tableIdsOf(policy)) {
      const table = (await documents.get(executionTables, tenant, assetId))?.document.table
      const at = table?.schemaChangedAt
      if (table === undefined || at === undefined || at <= policy.rule.createdAt) continue
      if (last?.kind === 'CRAWL' && last.assetId === assetId && last.at >= at) continue
      const trigger = { kind: 'CRAWL' as const, assetId, revision: table.revision, at }
      await streams.handle(tenant, policy.rule.id, { type: 'TriggerRun', trigger }, system)
    }
  }

  return {
    policy: async (tenant, message) => {
      const before = await streams.load(tenant, message.policy.rule.id)
      await follow(tenant, message)
      await triggerOvertaken(tenant, message, before)
    },
    changedTable: async (tenant, table) => {
      const before = await documents.get(executionTables, tenant, table.assetId)
      if (before === undefined) return
      const seen = tableChanges(before.document.table, table)
      if (seen.size === 0) return
      const { assetId, revision } = table
      const trigger = { kind: 'CRAWL' as const, assetId, revision, at: isoTime(clock.now()) }
      await triggerRuns(deps, tenant, trigger, seen)
    },
    table: async (tenant, { assetId, assemblyId }) => {
      for await (const policyId of policiesOn(documents, tenant, assetId)) await found(tenant, policyId, [assemblyId])
    },
    catchUp: () =>
      catchUpOnce(checkpoints, 'execution-policies-followed', async () => {
        for await (const { tenant, document, source } of documents.scan(executionPolicies)) {
          const known = await streams.load(tenant, document.policy.rule.id)
          if (known.policy === null) await follow(tenant, { policy: document.policy, revision: source.revision })
        }
      }),
  }
}
