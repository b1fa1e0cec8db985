import { policyOperations, type RuleConfigInput } from '@assay/contracts'
import type { Stored } from '@assay/documents'
import type { CommandHandler } from '@assay/event-store'
import { type Caller, type Clock, commandContext, isoTime, type Route, route } from '@assay/service-kit'
import { isAssayError } from '@assay/service-kit/errors'
import { refusal } from '../definition/refusal.ts'
import type { Storages } from '../persistence/storages.ts'
import { type PolicyDocument, policyAggregate } from '../policy/aggregate.ts'
import { changeable, existing } from '../policy/decide.ts'
import type { Policies } from '../reading/find-policy.ts'
import { configurationRecord, mergeConfiguration } from './stored-configuration.ts'

const maxTries = 50

/** Where the results of a policy are stored, and which of them. */
export function configurationRoutes(deps: {
  handler: CommandHandler
  policies: Policies
  storages: Storages
  clock: Clock
}): Route[] {
  const { handler, policies, storages, clock } = deps

  function read({ document, source }: Stored<PolicyDocument>) {
    return { body: configurationRecord(document.answer.rule.id, document.configuration), position: source.position }
  }

  async function set(call: Caller, id: number, sent: RuleConfigInput) {
    const { tenant, user } = call.identity
    for (let tries = 1; ; tries++) {
      const { state, revision } = await handler.load(policyAggregate, tenant, id)
      const before = changeable(state)
      const configuration = mergeConfiguration(before.configuration, sent)
      const chosen = await storages.of(tenant, configuration.categories)
      if (chosen === 'missing' && sent.categoriesPersistenceConfig !== undefined)
        throw refusal('categoriesPersistenceConfig.configId', 'there is no persistence configuration with this id')
      const storage = chosen === 'missing' ? before.storage : chosen
      const command = { kind: 'SetConfiguration' as const, configuration, storage, at: isoTime(clock.now()), by: user }
      const context = commandContext(call)
      try {
        const handled = await handler.handle(policyAggregate, { tenant, id, command, context, expected: revision })
        return { body: configurationRecord(id, existing(handled.state).configuration), position: handled.position }
      } catch (error) {
        // Another writer was first: what was sent is merged with what it has written.
        if (!isAssayError(error, 'conflict') || tries === maxTries) throw error
      }
    }
  }

  return [
    route(policyOperations.getPolicyConfiguration, async (call) =>
      read(await policies.byId(call.identity.tenant, call.params.id)),
    ),
    route(policyOperations.getPolicyConfigurationByName, async (call) =>
      read(await policies.byName(call.identity.tenant, call.params.name)),
    ),
    route(policyOperations.setPolicyConfiguration, (call) => set(call, call.params.id, call.body)),
    route(policyOperations.setPolicyConfigurationByName, async (call) => {
      const { document } = await policies.byName(call.identity.tenant, call.params.name)
      return set(call, document.answer.rule.id, call.body)
    }),
  ]
}
