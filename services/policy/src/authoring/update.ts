import { type PolicyChange, qualityRuleOf } from '@assay/contracts'
import { type Caller, type Route, route } from '@assay/service-kit'
import { namedTables, type TableName } from '../definition/targets.ts'
import { kinds } from '../kinds.ts'
import { existing } from '../policy/decide.ts'
import { policyAnswerOf } from '../policy/records.ts'
import type { Policies } from '../reading/find-policy.ts'
import { type Authoring, changeDefinition } from './change-definition.ts'
import type { SeenTables } from './seen-tables.ts'

/** `rule` is merged; `items` and `mappings` replace their lists. Without a change there is no new version. */
export function updateRoutes(deps: Authoring & { tables: SeenTables; policies: Policies }): Route[] {
  /** The tables against which the changed definition is checked. */
  async function tablesOf(tenant: string, id: number, patch: PolicyChange): Promise<TableName[]> {
    const { answer } = (await deps.policies.byId(tenant, id)).document
    const assets = qualityRuleOf(answer).backingAssets
    return namedTables(answer.rule.type, patch).flatMap(({ named }, side) => {
      const asset = assets[side]
      return named !== undefined ? [named] : asset === undefined ? [] : [{ id: asset.tableAssetId }]
    })
  }

  async function update(call: Caller, id: number, patch: PolicyChange) {
    const { tenant } = call.identity
    for (const table of await tablesOf(tenant, id, patch)) await deps.tables.waitForPosition(call, table)
    await deps.tables.waitForCopies(call)
    const { state, position } = await changeDefinition(deps, call, id, patch)
    return { body: policyAnswerOf(existing(state), tenant), position }
  }

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
