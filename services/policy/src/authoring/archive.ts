import type { CommandHandler } from '@assay/event-store'
import { type Caller, type Clock, commandContext, isoTime, type Route, route } from '@assay/service-kit'
import { targetsOf } from '../definition/sides.ts'
import type { Tables } from '../definition/targets.ts'
import { kinds } from '../kinds.ts'
import type { PolicyNames } from '../names/names.ts'
import { policyAggregate } from '../policy/aggregate.ts'
import { existing } from '../policy/decide.ts'
import type { Definition } from '../policy/definition.ts'
import type { Policies } from '../reading/find-policy.ts'

/** Archiving frees the policy's name; unarchiving reserves it again, unless another policy has taken it. */
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
    const { state } = await handler.handle(policyAggregate, { tenant, id, command, context: commandContext(call) })
    await names.release(tenant, existing(state).definition.name, id)
    return {}
  }

  async function hasItsTables(tenant: string, definition: Definition): Promise<boolean> {
    const found = await Promise.all(targetsOf(definition).map(({ assetId }) => tables.byId(tenant, assetId)))
    return found.every((table) => table !== undefined && !table.isDeleted)
  }

  async function unarchive(call: Caller, id: number) {
    const { tenant } = call.identity
    const policy = existing((await handler.load(policyAggregate, tenant, id)).state)
    if (policy.status === 'active') return { body: { status: 'SUCCESS' as const } }
    if (!(await hasItsTables(tenant, policy.definition)))
      return { body: { status: 'FAILED_ON_BACKING_ASSET' as const } }
    const { name } = policy.definition
    await names.hold(tenant, name, id)
    const command = { kind: 'UnarchivePolicy' as const, ...stamp(call) }
    await handler.handle(policyAggregate, { tenant, id, command, context: commandContext(call) })
    await names.confirm(tenant, name, id)
    return { body: { status: 'SUCCESS' as const } }
  }

  return kinds.flatMap(({ type, operations }) => {
    const own = policies.of(type)
    const idOf = async (call: Caller, name: string) =>
      (await own.byName(call.identity.tenant, name)).document.answer.rule.id
    return [
      route(operations.archive, async (call) => {
        await own.byId(call.identity.tenant, call.params.id)
        return archive(call, call.params.id, call.query.message)
      }),
      route(operations.archiveByName, async (call) =>
        archive(call, await idOf(call, call.params.name), call.query.message),
      ),
      route(operations.unarchive, async (call) => {
        await own.byId(call.identity.tenant, call.params.id)
        return unarchive(call, call.params.id)
      }),
      route(operations.unarchiveByName, async (call) => unarchive(call, await idOf(call, call.params.name))),
    ]
  })
}
