import { policyOperations } from '@assay/contracts'
import type { CommandHandler } from '@assay/event-store'
import { type Clock, isoTime, type Route, route } from '@assay/service-kit'
import { commandContext } from '../calls.ts'
import { policyAggregate } from '../policy/aggregate.ts'
import { existing } from '../policy/decide.ts'
import { qualityRule, ruleAnswer } from '../policy/records.ts'

/** Enabling and disabling each add a version; asking for what is already so adds none. */
export function enableRoutes(deps: { handler: CommandHandler; clock: Clock }): Route[] {
  return [
    route(policyOperations.enablePolicy, async (call) => {
      const { tenant, user } = call.identity
      const stamp = { at: isoTime(deps.clock.now()), by: user }
      const { state, position } = await deps.handler.handle(policyAggregate, {
        tenant,
        id: call.params.id,
        command: call.body.enable
          ? { kind: 'EnablePolicy', ...stamp }
          : { kind: 'DisablePolicy', reason: null, ...stamp },
        context: commandContext(call),
      })
      return { body: { rule: qualityRule(ruleAnswer(existing(state), tenant)) }, position }
    }),
  ]
}
