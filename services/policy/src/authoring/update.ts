import type { PolicyChange } from '@assay/contracts'
import { type Caller, type Route, route } from '@assay/service-kit'
import { kinds } from '../kinds.ts'
import { existing } from '../policy/decide.ts'
import { policyAnswerOf } from '../policy/records.ts'
import type { Policies } from '../reading/find-policy.ts'
import { type Authoring, changeDefinition } from './change-definition.ts'

/** `rule` is merged; `items` and `mappings` replace their lists. Without a change there is no new version. */
export function updateRoutes(deps: Authoring & { policies: Policies }): Route[] {
  const update = async (call: Caller, id: number, patch: PolicyChange) => ({
    body: policyAnswerOf(existing(await changeDefinition(deps, call, id, patch)), call.identity.tenant),
  })

  return kinds.flatMap(({ type, operations, wrong }) => {
    const own = deps.policies.of(type, wrong.update)
    return [
      route(operations.update, async (call) => {
        await own.byId(call.identity.tenant, call.params.id)
        return update(call, call.params.id, call.body)
      }),
      route(operations.updateByName, async (call) => {
        const { document } = await own.byName(call.identity.tenant, call.params.name)
        return update(call, document.answer.rule.id, call.body)
      }),
    ]
  })
}
