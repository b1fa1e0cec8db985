import { policyOperations } from '@assay/contracts'
import type { CommandHandler } from '@assay/event-store'
import { type Clock, isoTime, type Route, route } from '@assay/service-kit'
import { type Caller, commandContext } from '../calls.ts'
import type { Tables } from '../definition/target.ts'
import type { PolicyNames } from '../names/names.ts'
import { policyAggregate } from '../policy/aggregate.ts'
import { existing } from '../policy/decide.ts'
import type { Policies } from '../reading/find-policy.ts'

/** Archiving frees the policy's name; unarchiving takes it again, where nobody else has it by then. */
export function archiveRoutes(deps: {
  handler: CommandHandler
  names: PolicyNames
  clock: Clock
  policies: Policies
  tables: Tables
}): Route[] {
  const { handler, names, clock, policies, tables } = deps
  const stamp = (call: Caller) => ({ at: isoTime(clock.now()), by: call.identity.user })

  async function archive(call: Caller, id: number, message: string | undefined) {
    const { tenant } = call.identity
    const reason = message === undefined || message.trim() === '' ? null : message
    const command = { kind: 'ArchivePolicy' as const, reason, ...stamp(call) }
    const handled = await handler.handle(policyAggregate, { tenant, id, command, context: commandContext(call) })
    await names.release(tenant, existing(handled.state).definition.name, id)
    return { position: handled.position }
  }

  async function unarchive(call: Caller, id: number) {
    const { tenant } = call.identity
    const loaded = await handler.load(policyAggregate, tenant, id)
    const policy = existing(loaded.state)
    if (policy.status === 'active') return { body: { status: 'SUCCESS' as const }, position: loaded.position }
    const table = await tables.byId(tenant, policy.definition.target.assetId)
    if (table === undefined || table.isDeleted)
      return { body: { status: 'FAILED_ON_BACKING_ASSET' as const }, position: loaded.position }
    const { name } = policy.definition
    await names.hold(tenant, name, id)
    const command = { kind: 'UnarchivePolicy' as const, ...stamp(call) }
    const { position } = await handler.handle(policyAggregate, { tenant, id, command, context: commandContext(call) })
    await names.confirm(tenant, name, id)
    return { body: { status: 'SUCCESS' as const }, position }
  }

  return [
    route(policyOperations.archiveDataQualityPolicy, (call) => archive(call, call.params.id, call.query.message)),
    route(policyOperations.archiveDataQualityPolicyByName, async (call) =>
      archive(call, await policies.idOfName(call.identity.tenant, call.params.name), call.query.message),
    ),
    route(policyOperations.unarchiveDataQualityPolicy, (call) => unarchive(call, call.params.id)),
  ]
}
