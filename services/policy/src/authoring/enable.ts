import { policyOperations, qualityRuleOf } from '@assay/contracts'
import type { CommandHandler } from '@assay/event-store'
import { type Clock, commandContext, isoTime, type Route, route } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import type { Tables } from '../definition/targets.ts'
import { policyAggregate } from '../policy/aggregate.ts'
import { existing } from '../policy/decide.ts'
import { policyAnswerOf } from '../policy/records.ts'

/** Enabling and disabling each add a version; repeating either adds none. */
export function enableRoutes(deps: { handler: CommandHandler; clock: Clock; tables: Tables }): Route[] {
  async function assertTableLives(tenant: string, policyId: number): Promise<void> {
    const { state } = await deps.handler.load(policyAggregate, tenant, String(policyId))
    if (state.status === 'absent') return
    const { definition } = state
    const targets = 'rightTarget' in definition ? [definition.target, definition.rightTarget] : [definition.target]
    for (const { assetId } of targets) {
      const table = await deps.tables.byId(tenant, assetId)
      if (table === undefined) continue
      if (targets.length > 1 && table.isDeleted && table.deletedWith === undefined) {
        const sentence = `${table.uid} is no longer in its source, so a policy that compares it cannot be enabled. Crawl its assembly again.`
        throw new AssayError('unprocessable', sentence)
      }
      if (table.deletedWith === undefined) continue
      const deleted = table.deletedWith === 'view' ? `The view ${table.uid}` : `The assembly of asset ${table.uid}`
      throw new AssayError('unprocessable', `${deleted} was deleted; a policy on it cannot be enabled.`)
    }
  }

  return [
    route(policyOperations.enablePolicy, async (call) => {
      const { tenant, user } = call.identity
      if (call.body.enable) await assertTableLives(tenant, call.params.id)
      const stamp = { at: isoTime(deps.clock.now()), by: user }
      const { state, position } = await deps.handler.handle(policyAggregate, {
        tenant,
        id: call.params.id,
        command: call.body.enable
          ? { kind: 'EnablePolicy', ...stamp }
          : { kind: 'DisablePolicy', reason: null, ...stamp },
        context: commandContext(call),
      })
      return { body: { rule: qualityRuleOf(policyAnswerOf(existing(state), tenant)) }, position }
    }),
  ]
}
