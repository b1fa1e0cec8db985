import { didYouMean, policyOperations, type RuleConfigInput } from '@assay/contracts'
import type { Stored } from '@assay/documents'
import { type CommandHandler, retryOnConflict } from '@assay/event-store'
import { type Caller, type Clock, commandContext, isoTime, type Route, route, type Timers } from '@assay/service-kit'
import { refusal } from '../definition/refusal.ts'
import type { Storages } from '../persistence/storages.ts'
import { type PolicyDocument, policyAggregate } from '../policy/aggregate.ts'
import { changeable, existing } from '../policy/decide.ts'
import type { Configuration } from '../policy/definition.ts'
import { type Policies, statesOf } from '../reading/find-policy.ts'
import { configurationRecord, mergeConfiguration } from './stored-configuration.ts'

/** Where the results of a policy are stored, and which of them. */
export function configurationRoutes(deps: {
  handler: CommandHandler
  policies: Policies
  storages: Storages
  clock: Clock
  timers: Pick<Timers, 'sleep'>
}): Route[] {
  const { handler, policies, storages, clock, timers } = deps

  async function recordOf(tenant: string, id: number, configuration: Configuration) {
    const { categories } = configuration
    const name = categories.type === 'SAVED' ? await storages.nameOf(tenant, categories.configId) : undefined
    return configurationRecord(id, configuration, name)
  }

  async function read(tenant: string, stored: Stored<PolicyDocument>) {
    const { answer, configuration } = stored.document
    return { body: await recordOf(tenant, answer.rule.id, configuration), states: statesOf(stored) }
  }

  /** The chosen persistence configuration by its id, even if the request names it. Throws `invalid`. */
  async function chosenIn(
    { identity }: Caller,
    sent: RuleConfigInput,
  ): Promise<Configuration['categories'] | undefined> {
    const choice = sent.categoriesPersistenceConfig
    if (choice?.type !== 'SAVED') return choice
    const { configId, configName } = choice
    if (configId !== undefined) return { type: choice.type, configId }
    const named = configName === undefined ? undefined : await storages.idOf(identity.tenant, configName)
    if (named !== undefined) return { type: choice.type, configId: named }
    const known = identity.permissions.has('POLICY_VIEW') ? await storages.names(identity.tenant) : []
    throw refusal(
      'categoriesPersistenceConfig.configName',
      `there is no persistence configuration '${configName}'${didYouMean(configName ?? '', known)}`,
    )
  }

  async function set(call: Caller, id: number, sent: RuleConfigInput) {
    const { tenant, user } = call.identity
    const choice = await chosenIn(call, sent)
    // After a conflict, the request is merged with the other writer's result.
    return retryOnConflict(timers, async () => {
      const { state, revision } = await handler.load(policyAggregate, tenant, id)
      const before = changeable(state)
      const configuration = mergeConfiguration(before.configuration, sent, choice)
      const chosen = await storages.of(tenant, configuration.categories)
      if (chosen === 'missing' && sent.categoriesPersistenceConfig !== undefined)
        throw refusal('categoriesPersistenceConfig.configId', 'there is no persistence configuration with this id')
      const storage = chosen === 'missing' ? before.storage : chosen
      const command = { kind: 'SetConfiguration' as const, configuration, storage, at: isoTime(clock.now()), by: user }
      const context = commandContext(call)
      const handled = await handler.handle(policyAggregate, { tenant, id, command, context, expected: revision })
      return { body: await recordOf(tenant, id, existing(handled.state).configuration) }
    })
  }

  return [
    route(policyOperations.getPolicyConfiguration, async (call) =>
      read(call.identity.tenant, await policies.byId(call.identity.tenant, call.params.id)),
    ),
    route(policyOperations.getPolicyConfigurationByName, async (call) =>
      read(call.identity.tenant, await policies.byName(call.identity.tenant, call.params.name)),
    ),
    route(policyOperations.setPolicyConfiguration, (call) => set(call, call.params.id, call.body)),
    route(policyOperations.setPolicyConfigurationByName, async (call) => {
      const { document } = await policies.byName(call.identity.tenant, call.params.name)
      return set(call, document.answer.rule.id, call.body)
    }),
  ]
}
