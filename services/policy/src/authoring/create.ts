import type { PolicyCreation, PolicyType } from '@assay/contracts'
import { type Caller, commandContext, type Route, route } from '@assay/service-kit'
import { assertMayDepend } from '../definition/protected-parts.ts'
import { kinds } from '../kinds.ts'
import { existing } from '../policy/decide.ts'
import type { Policy } from '../policy/policy.ts'
import { policyAnswerOf } from '../policy/records.ts'
import type { ChecksFor } from './checks.ts'
import type { CreatePolicy } from './new-policy.ts'

/** Creates a policy from a request, if its caller may create it. */
export type CreateFromRequest = (call: Caller, type: PolicyType, body: PolicyCreation) => Promise<Policy>

export function createCreating(deps: { checksFor: ChecksFor; createPolicy: CreatePolicy }): CreateFromRequest {
  return async (call, type, body) => {
    const { tenant, user } = call.identity
    const { definitions, prepare } = await deps.checksFor(call)
    const definition = await definitions.create(call.identity, type, body)
    await assertMayDepend(prepare, call.identity, definition)
    const baseline = await definitions.baselineOf(tenant, definition)
    const context = commandContext(call)
    return (await deps.createPolicy({ tenant, definition, baseline, by: user, context })).state
  }
}

/** Creates policies of each type. */
export function createRoutes(create: CreateFromRequest): Route[] {
  return kinds.map(({ type, operations }) =>
    route(operations.create, async (call) => ({
      body: policyAnswerOf(existing(await create(call, type, call.body)), call.identity.tenant),
    })),
  )
}
