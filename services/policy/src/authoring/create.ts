import type { PolicyCreation, PolicyType } from '@assay/contracts'
import type { Handled } from '@assay/event-store'
import { type Caller, commandContext, type Route, route } from '@assay/service-kit'
import { assertMayDepend } from '../definition/protected-parts.ts'
import { namedTables } from '../definition/targets.ts'
import { kinds } from '../kinds.ts'
import { existing } from '../policy/decide.ts'
import type { Policy, PolicyEvent } from '../policy/policy.ts'
import { policyAnswerOf } from '../policy/records.ts'
import type { Authoring } from './change-definition.ts'
import type { CreatePolicy } from './new-policy.ts'
import type { SeenTables } from './seen-tables.ts'

/** Creates a policy from a request, if its caller may create it. */
export type CreateFromRequest = (
  call: Caller,
  type: PolicyType,
  body: PolicyCreation,
) => Promise<Handled<Policy, PolicyEvent>>

export function createCreating(
  deps: Pick<Authoring, 'definitions' | 'prepare'> & { createPolicy: CreatePolicy; tables: SeenTables },
): CreateFromRequest {
  const { definitions, tables, prepare, createPolicy } = deps
  return async (call, type, body) => {
    const { tenant, user } = call.identity
    for (const { named } of namedTables(type, body)) await tables.waitForPosition(call, named)
    await tables.waitForCopies(call)
    const definition = await definitions.create(call.identity, type, body)
    await assertMayDepend(prepare, call.identity, definition)
    const baseline = await definitions.baselineOf(tenant, definition)
    return createPolicy({ tenant, definition, baseline, by: user, context: commandContext(call) })
  }
}

/** Creates policies of each type. */
export function createRoutes(create: CreateFromRequest): Route[] {
  return kinds.map(({ type, operations }) =>
    route(operations.create, async (call) => {
      const { state, position } = await create(call, type, call.body)
      return { body: policyAnswerOf(existing(state), call.identity.tenant), position }
    }),
  )
}
