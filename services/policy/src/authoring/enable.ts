import { policyOperations, qualityRuleOf } from '@assay/contracts'
import type { CommandHandler, ReadYourWrites } from '@assay/event-store'
import { type Caller, type Clock, commandContext, isoTime, type Route, route, seenOf } from '@assay/service-kit'
import { assertTablesLive } from '../definition/live-tables.ts'
import type { Tables } from '../definition/targets.ts'
import { policyAggregate } from '../policy/aggregate.ts'
import { existing } from '../policy/decide.ts'
import { policyAnswerOf } from '../policy/records.ts'

/** Enabling and disabling each add a version; repeating either adds none. */
export function enableRoutes(deps: {
  handler: CommandHandler
  clock: Clock
  tables: Tables
  readYourWrites: ReadYourWrites
}): Route[] {
  async function assertMayEnable(call: Caller, policyId: number): Promise<void> {
    const { tenant } = call.identity
    const { state } = await deps.handler.load(policyAggregate, tenant, String(policyId))
    if (state.status === 'absent') return
    await deps.readYourWrites(seenOf(call, 'catalog'))
    await assertTablesLive(deps.tables, tenant, state.definition)
  }

  return [
    route(policyOperations.enablePolicy, async (call) => {
      const { tenant, user } = call.identity
      if (call.body.enable) await assertMayEnable(call, call.params.id)
      const stamp = { at: isoTime(deps.clock.now()), by: user }
      const { state } = await deps.handler.handle(policyAggregate, {
        tenant,
        id: call.params.id,
        command: call.body.enable
          ? { kind: 'EnablePolicy', ...stamp }
          : { kind: 'DisablePolicy', reason: null, ...stamp },
        context: commandContext(call),
      })
      return { body: { rule: qualityRuleOf(policyAnswerOf(existing(state), tenant)) } }
    }),
  ]
}
