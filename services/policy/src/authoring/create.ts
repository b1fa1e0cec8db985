import type { PolicyCreation, PolicyType } from '@assay/contracts'
import type { NumberBlocks } from '@assay/event-store'
import { type Caller, commandContext, isoTime, type Route, route } from '@assay/service-kit'
import { AssayError, isAssayError } from '@assay/service-kit/errors'
import { assertMayDepend } from '../definition/protected-parts.ts'
import { namedTables } from '../definition/targets.ts'
import { kinds } from '../kinds.ts'
import type { Storages } from '../persistence/storages.ts'
import { policyAggregate } from '../policy/aggregate.ts'
import { existing } from '../policy/decide.ts'
import { policyAnswerOf } from '../policy/records.ts'
import type { Authoring } from './change-definition.ts'
import type { SeenTables } from './seen-tables.ts'

/** The name is reserved before the policy is written and confirmed after, so that two policies cannot get the same. */
export function createRoutes(
  deps: Authoring & { numbers: NumberBlocks; tables: SeenTables; storages: Storages },
): Route[] {
  const { handler, definitions, names, numbers, clock, tables, storages, prepare } = deps

  async function create(call: Caller, type: PolicyType, body: PolicyCreation) {
    const { tenant, user } = call.identity
    for (const { named } of namedTables(body)) await tables.waitForPosition(call, named)
    const definition = await definitions.create(call.identity, type, body)
    await assertMayDepend(prepare, call.identity, definition)
    const baseline = await definitions.baselineOf(tenant, definition)
    const [policyId] = await numbers.take(tenant, 'policy')
    if (policyId === undefined) throw new AssayError('internal', 'No number was given for a policy.')
    const storage = await storages.ofDefault(tenant)
    await names.hold(tenant, definition.name, policyId)
    const at = isoTime(clock.now())
    const command = {
      ...{ kind: 'CreatePolicy' as const, policyId, definition, storage, at, by: user },
      ...(baseline === undefined ? {} : { baseline }),
    }
    const request = { tenant, id: policyId, command, context: commandContext(call) }
    const handled = await handler.handle(policyAggregate, request).catch(async (error: unknown) => {
      if (!isAssayError(error, 'unknown-outcome')) await names.release(tenant, definition.name, policyId)
      throw error
    })
    // The policy exists even if this fails: the processor of the log then confirms the name.
    await names.confirm(tenant, definition.name, policyId).catch(() => undefined)
    return handled
  }

  return kinds.map(({ type, operations }) =>
    route(operations.create, async (call) => {
      const { state, position } = await create(call, type, call.body)
      return { body: policyAnswerOf(existing(state), call.identity.tenant), position }
    }),
  )
}
