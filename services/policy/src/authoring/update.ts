import { policyOperations } from '@assay/contracts'
import type { Followed } from '@assay/event-store'
import { type Route, route } from '@assay/service-kit'
import type { Caller } from '../calls.ts'
import type { Patch } from '../definition/new-definition.ts'
import { existing } from '../policy/decide.ts'
import { ruleAnswer } from '../policy/records.ts'
import type { Policies } from '../reading/find-policy.ts'
import { type Authoring, changeDefinition } from './change-definition.ts'

/** `rule` merges, `items` replaces; nothing changed: no new version. */
export function updateRoutes(deps: Authoring & { tables: Followed; policies: Policies }): Route[] {
  async function update(call: Caller, id: number, patch: Patch) {
    const { tenant } = call.identity
    await deps.tables.reach(tenant, call.seen.get('catalog'), call.signal)
    const { state, position } = await changeDefinition(deps, call, id, patch)
    return { body: ruleAnswer(existing(state), tenant), position }
  }

  return [
    route(policyOperations.updateDataQualityPolicy, (call) => update(call, call.params.id, call.body)),
    route(policyOperations.updateDataQualityPolicyByName, async (call) =>
      update(call, await deps.policies.idOfName(call.identity.tenant, call.params.name), call.body),
    ),
  ]
}
