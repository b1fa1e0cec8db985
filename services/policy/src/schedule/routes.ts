import { policyOperations } from '@assay/contracts'
import type { CommandHandler } from '@assay/event-store'
import { type Caller, type Clock, commandContext, isoTime, type Route, route } from '@assay/service-kit'
import { kinds } from '../kinds.ts'
import { policyAggregate } from '../policy/aggregate.ts'
import { existing, type PolicyCommand } from '../policy/decide.ts'
import { policyAnswerOf } from '../policy/records.ts'
import type { Policies } from '../reading/find-policy.ts'
import { scheduleChange, switchedSchedule } from './change.ts'
import { assertSchedulable, type ScheduleContract } from './support.ts'

type Change = Extract<PolicyCommand, { kind: 'SetSchedule' }>['change']

/** The schedules of policies. Each successful call adds one version, whatever it changes. */
export function scheduleRoutes(deps: {
  handler: CommandHandler
  policies: Policies
  clock: Clock
  contract: ScheduleContract
}): Route[] {
  const { handler, policies, clock, contract } = deps

  async function setSchedule(call: Caller, id: number, change: Change) {
    const { tenant, user } = call.identity
    const { state: before } = await handler.load(policyAggregate, tenant, id)
    // Only the type of a policy never changes.
    assertSchedulable(existing(before).definition.type, contract)
    const command = { kind: 'SetSchedule' as const, change, at: isoTime(clock.now()), by: user }
    const handled = await handler.handle(policyAggregate, { tenant, id, command, context: commandContext(call) })
    return existing(handled.state)
  }

  const ofKinds = kinds.flatMap(({ type, operations }) => {
    const own = policies.of(type, 'unprocessable')
    return [
      route(operations.schedule, async (call) => {
        const change = switchedSchedule(call.body)
        await own.byId(call.identity.tenant, call.params.id)
        const policy = await setSchedule(call, call.params.id, change)
        return { body: policyAnswerOf(policy, call.identity.tenant) }
      }),
      route(operations.scheduleByName, async (call) => {
        const change = switchedSchedule(call.body)
        const { document } = await own.byName(call.identity.tenant, call.params.name)
        const policy = await setSchedule(call, document.answer.rule.id, change)
        return { body: policyAnswerOf(policy, call.identity.tenant) }
      }),
    ]
  })

  return [
    ...ofKinds,
    route(policyOperations.setPolicySchedule, async (call) => {
      const policy = await setSchedule(call, call.params.id, scheduleChange(call.body))
      const { type, scheduled, schedule, timeZone, scheduleExecutionType: executionType } = policy.definition
      const { policyId, version } = policy
      return {
        body: { policyId, policyType: type, scheduled, version, cronExpression: schedule, timeZone, executionType },
      }
    }),
  ]
}
