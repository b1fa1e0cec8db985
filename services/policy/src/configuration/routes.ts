import { policyOperations } from '@assay/contracts'
import type { CommandHandler } from '@assay/event-store'
import { type Clock, isoTime, type Route, route } from '@assay/service-kit'
import { isAssayError } from '@assay/service-kit/errors'
import { commandContext } from '../calls.ts'
import { policyAggregate } from '../policy/aggregate.ts'
import { changeable, existing } from '../policy/decide.ts'
import type { Policies } from '../reading/find-policy.ts'
import { configurationRecord, mergeConfiguration } from './stored-configuration.ts'

const maxTries = 50

/** Where the results of a policy are stored, and which of them. */
export function configurationRoutes(deps: { handler: CommandHandler; policies: Policies; clock: Clock }): Route[] {
  const { handler, policies, clock } = deps
  return [
    route(policyOperations.getPolicyConfiguration, async (call) => {
      const { document, source } = await policies.byId(call.identity.tenant, call.params.id)
      return { body: configurationRecord(call.params.id, document.configuration), position: source.position }
    }),
    route(policyOperations.setPolicyConfiguration, async (call) => {
      const { tenant, user } = call.identity
      const { id } = call.params
      for (let tries = 1; ; tries++) {
        const { state, revision } = await handler.load(policyAggregate, tenant, id)
        const configuration = mergeConfiguration(changeable(state).configuration, call.body)
        const command = { kind: 'SetConfiguration' as const, configuration, at: isoTime(clock.now()), by: user }
        const context = commandContext(call)
        try {
          const handled = await handler.handle(policyAggregate, { tenant, id, command, context, expected: revision })
          return { body: configurationRecord(id, existing(handled.state).configuration), position: handled.position }
        } catch (error) {
          // Another writer was first: what was sent is merged with what it has written.
          if (!isAssayError(error, 'conflict') || tries === maxTries) throw error
        }
      }
    }),
  ]
}
