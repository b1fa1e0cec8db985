import { type DryRunRoute, isPersonal } from '@assay/contracts'
import type { Documents } from '@assay/documents'
import { channels } from '../channel/aggregate.ts'
import type { Channel } from '../channel/channel.ts'
import { accepts } from '../delivering/outbox.ts'
import type { NotificationContent } from '../notification/notification.ts'
import type { Repeats } from '../notifying/repeats.ts'
import { allRules } from '../rule/aggregate.ts'
import { matches } from '../rule/matches.ts'
import type { Rule, RuleSettings } from '../rule/rule.ts'
import { assetsOf, type Covering, sidesOf } from '../triggers/covering.ts'
import type { Incident } from '../triggers/trigger.ts'
import { alertedChannels } from './alerted.ts'
import { type Filtered, filteredFor, isAlerting } from './alerting.ts'
import { channelRecipient } from './channel-recipient.ts'
import { payloadsFor } from './payload-rules.ts'
import { ruleFactsOf } from './rule-facts.ts'

/** A rule, or one that is only tried. */
export type AnyRule = RuleSettings & { ruleId?: Rule['ruleId'] | undefined }

/** A channel that gets a content although it is in no list, once for whatever reasons. */
export interface RoutedChannel {
  channel: Channel
  because: DryRunRoute['because']
}

/** What is routed. `rules`: instead of those of the tenant. */
export interface Routed {
  content: NotificationContent
  incident: Incident | undefined
  covering: Covering
  rules?: readonly AnyRule[] | undefined
}

/** The channels that rules, settings of policies and assets, and incidents send a content to. */
export type ChannelsFor = (tenant: string, of: Routed) => Promise<RoutedChannel[]>

const channelsAtOnce = 500

/** The user whose mutes hold what a channel gets; `undefined` for none: a mute must not keep an alert from its end. */
export function muterOf({ shared, owner }: Channel, { kind }: Filtered): string | undefined {
  return shared || kind === 'INCIDENT_RECOVERED' ? undefined : owner
}

export function createChannelsFor(deps: {
  documents: Pick<Documents, 'find' | 'get'>
  repeats: Pick<Repeats, 'isAlarmed'>
}): ChannelsFor {
  const { documents, repeats } = deps

  async function withIds(tenant: string, ids: readonly number[]): Promise<ReadonlyMap<number, Channel>> {
    if (ids.length === 0) return new Map()
    const where = [{ field: 'id', in: [...new Set(ids)] }]
    const found = await documents.find(channels, tenant, { where, size: channelsAtOnce })
    return new Map(found.documents.map((channel) => [channel.channelId, channel]))
  }

  async function alertingOf(tenant: string): Promise<Channel[]> {
    const found: Channel[] = []
    for (let page = 0; ; page += 1) {
      const where = [{ field: 'alerts', is: true }]
      const some = await documents.find(channels, tenant, { where, page, size: channelsAtOnce })
      found.push(...some.documents)
      if (some.documents.length < channelsAtOnce) return found
    }
  }

  return async (tenant, { content, incident, covering, rules: tried }) => {
    if (isPersonal(content.kind)) return []
    const { policyId } = content
    // Only channels that got the alert get its end.
    const ended = content.kind === 'INCIDENT_RECOVERED' ? incident?.id : undefined
    const [stored, payloads, alerting, alerted] = await Promise.all([
      tried ?? allRules(documents, tenant),
      payloadsFor(documents, tenant, { policyId, assetIds: assetsOf(covering) }),
      incident === undefined ? [] : alertingOf(tenant),
      ended === undefined ? [] : alertedChannels(documents, tenant, ended),
    ])
    const rules: readonly AnyRule[] = stored.filter(({ enabled }) => enabled)
    const byId = await withIds(tenant, [...rules, ...payloads].flatMap(({ channelIds }) => channelIds).concat(alerted))
    const facts =
      rules.length === 0
        ? []
        : await Promise.all(
            sidesOf(covering).map((side) => ruleFactsOf(documents, tenant, { policyId, covering: side })),
          )

    const routed = new Map<number, RoutedChannel>()
    const route = (
      channel: Channel | undefined,
      because: RoutedChannel['because'],
      fits: (of: Filtered, type: Channel['type']) => boolean,
    ) => {
      if (channel === undefined || routed.has(channel.channelId)) return
      if (ended !== undefined && isAlerting(channel.type)) return
      const passes = (of: Filtered) => fits(of, channel.type) && accepts(channel, of)
      if (filteredFor(channel.type, content, incident).some(passes)) routed.set(channel.channelId, { channel, because })
    }
    const shared = (id: number) => {
      const channel = byId.get(id)
      return channel?.shared ? channel : undefined
    }
    for (const { channelIds, when, ruleId } of rules)
      for (const id of channelIds)
        route(shared(id), { type: 'RULE', ...(ruleId === undefined ? {} : { ruleId }) }, (of) =>
          facts.some((each) => matches(when, of, each)),
        )
    for (const { channelIds, fits } of payloads)
      for (const id of channelIds) route(shared(id), { type: 'RULE' }, (of, type) => fits(type, of))
    // Its alert would stay open if filters, rules or settings that changed since the beginning could hold its end.
    for (const id of alerted) {
      const channel = byId.get(id)
      if (channel !== undefined && isAlerting(channel.type)) routed.set(id, { channel, because: { type: 'INCIDENT' } })
    }
    for (const channel of alerting) route(channel, { type: 'INCIDENT' }, () => true)
    const all = [...routed.values()]
    if (content.kind !== 'EXECUTION_RECOVERED') return all
    // A recovery reaches only channels that got an alarm before.
    const isDue = await Promise.all(
      all.map(({ channel }) => repeats.isAlarmed(tenant, channelRecipient(channel.channelId), content)),
    )
    return all.filter((_, n) => isDue[n])
  }
}
