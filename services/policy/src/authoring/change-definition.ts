import type { PolicyChange } from '@assay/contracts'
import { type CommandHandler, retryOnConflict } from '@assay/event-store'
import { type Caller, type Clock, commandContext, isoTime, type Timers } from '@assay/service-kit'
import { assertMayDepend } from '../definition/protected-parts.ts'
import type { PolicyNames } from '../names/names.ts'
import { policyAggregate } from '../policy/aggregate.ts'
import { changeable } from '../policy/decide.ts'
import type { Policy } from '../policy/policy.ts'
import type { ChecksFor } from './checks.ts'

export interface Authoring {
  handler: CommandHandler
  checksFor: ChecksFor
  names: PolicyNames
  clock: Clock
  timers: Pick<Timers, 'sleep'>
}

/**
 * Merges the request into the current definition, checks the result, and appends at the revision that was read. After a
 * conflict, it merges with the result of the other writer. A new name is reserved before the write, and the old one
 * released after it.
 */
export async function changeDefinition(
  deps: Authoring,
  call: Caller,
  id: number,
  patch: PolicyChange,
): Promise<Policy> {
  const { handler, names, clock } = deps
  const { tenant, user } = call.identity
  const { definitions, prepare } = await deps.checksFor(call)
  return retryOnConflict(deps.timers, async () => {
    const loaded = await handler.load(policyAggregate, tenant, id)
    const before = changeable(loaded.state).definition
    const definition = await definitions.change(call.identity, before, patch)
    if (definition === before) return loaded.state
    await assertMayDepend(prepare, call.identity, definition, before)
    const isRenamed = definition.name !== before.name
    // After a conflict the name stays reserved, because another request may have given the policy the same name. The
    // reservation expires.
    if (isRenamed) await names.hold(tenant, definition.name, id)
    const command = { kind: 'ChangeDefinition' as const, definition, at: isoTime(clock.now()), by: user }
    const context = commandContext(call)
    const handled = await handler.handle(policyAggregate, { tenant, id, command, context, expected: loaded.revision })
    if (isRenamed) {
      await names.confirm(tenant, definition.name, id)
      await names.release(tenant, before.name, id)
    }
    return handled.state
  })
}
