import { type NotificationRule, notificationRuleOperations as operations } from '@assay/contracts'
import { type Documents, findPage } from '@assay/documents'
import type { CommandHandler, NumberBlocks } from '@assay/event-store'
import { type Caller, type Clock, commandContext, isoTime, type Route, route } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { channels, everyone, maxChannels } from '../channel/aggregate.ts'
import { maxRules, ruleAggregate, rulesOfTenant } from '../rule/aggregate.ts'
import { noSuchRule, type Rule, type RuleCommand } from '../rule/rule.ts'
import { assertShared } from './assert-shared.ts'

function ruleRecord(
  { ruleId: id, name, enabled, when, channelIds, user, createdAt, updatedAt }: Rule,
  shared: ReadonlySet<number>,
): NotificationRule {
  const missingChannelIds = channelIds.filter((channelId) => !shared.has(channelId))
  return { id, name, enabled, when, channelIds, missingChannelIds, userName: user, createdAt, updatedAt }
}

/** Creates, reads and changes the rules of the tenant. */
export function ruleRoutes(deps: {
  commands: CommandHandler
  documents: Documents
  numbers: NumberBlocks
  clock: Clock
}): Route[] {
  const { commands, documents, numbers, clock } = deps

  async function handle(call: Caller, id: number, command: RuleCommand) {
    const request = { tenant: call.identity.tenant, id, command, context: commandContext(call) }
    const { state } = await commands.handle(ruleAggregate, request)
    if (state.status === 'none') throw noSuchRule()
    return state.rule
  }

  async function sharedIds({ identity: { tenant } }: Caller): Promise<ReadonlySet<number>> {
    const where = [{ field: 'audience', is: everyone }]
    const found = await documents.find(channels, tenant, { where, size: maxChannels })
    return new Set(found.documents.map(({ channelId }) => channelId))
  }

  async function answerOf(call: Caller, rule: Rule) {
    return { body: { data: ruleRecord(rule, await sharedIds(call)) } }
  }

  async function ruleWithId({ identity: { tenant } }: Caller, id: number) {
    const { state } = await commands.load(ruleAggregate, tenant, id)
    if (state.status !== 'present') throw noSuchRule()
    return state.rule
  }

  return [
    route(operations.createNotificationRule, async (call) => {
      const { tenant, user } = call.identity
      await assertShared(commands, call, call.body.channelIds)
      const { count } = await documents.find(rulesOfTenant, tenant, { where: [], size: 0 })
      if (count >= maxRules)
        throw new AssayError('unprocessable', `The tenant has ${count} rules, which is the maximum. Delete one first.`)
      const [ruleId] = await numbers.take(tenant, 'notification-rule')
      if (ruleId === undefined) throw new AssayError('internal', 'No number was given for a rule.')
      const at = isoTime(clock.now())
      const { name, enabled, when, channelIds } = call.body
      const created = { name, enabled, when, channelIds, ruleId, user, createdAt: at, updatedAt: at }
      const rule = await handle(call, ruleId, { type: 'CreateRule', rule: created })
      return answerOf(call, rule)
    }),
    route(operations.listNotificationRules, async (call) => {
      const { page, size, sortBy } = call.query
      const field = sortBy?.field === 'id' ? 'ruleId' : 'createdAt'
      const direction = sortBy?.direction ?? 'desc'
      const sort = [
        { field, direction },
        { field: 'ruleId', direction },
      ]
      const { tenant } = call.identity
      const found = await findPage(documents, call, rulesOfTenant, { tenant, where: [], sort, page, size })
      const shared = await sharedIds(call)
      const data = found.documents.map((rule) => ruleRecord(rule, shared))
      return { body: { data, meta: { count: found.count, page, size } } }
    }),
    route(operations.getNotificationRule, async (call) => {
      const rule = await ruleWithId(call, call.params.id)
      return answerOf(call, rule)
    }),
    route(operations.updateNotificationRule, async (call) => {
      const before = await ruleWithId(call, call.params.id)
      const { name, enabled, when, channelIds } = call.body
      if (channelIds !== undefined) await assertShared(commands, call, channelIds)
      const settings = {
        ...{ name: name ?? before.name, enabled: enabled ?? before.enabled },
        ...{ when: when ?? before.when, channelIds: channelIds ?? before.channelIds },
      }
      const command = { type: 'ChangeRule' as const, settings, at: isoTime(clock.now()) }
      const rule = await handle(call, before.ruleId, command)
      return answerOf(call, rule)
    }),
    route(operations.deleteNotificationRule, async (call) => {
      await handle(call, call.params.id, { type: 'DeleteRule', at: isoTime(clock.now()) })
      return {}
    }),
  ]
}
