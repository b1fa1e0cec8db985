import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { channelAggregate } from './channel/aggregate.ts'
import type { ChannelSettings } from './channel/channel.ts'
import type { ChannelCommand } from './channel/decide.ts'
import { muteAggregate } from './mute/aggregate.ts'
import { notificationKey } from './notification/aggregate.ts'
import { channelRecipient } from './routing/channel-recipient.ts'
import { ruleAggregate } from './rule/aggregate.ts'
import { settingsAggregate, settingsKey } from './settings/aggregate.ts'
import type { SettingsCommand } from './settings/settings.ts'
import { explainDeliveries, explainRows } from './testing/pipeline/explanations.ts'
import { watchDigests } from './testing/pipeline/punctuality.ts'
import {
  assetIds,
  type Change,
  contentOf,
  fits,
  type Rule,
  type Step,
  settingsOf,
  sharedIds,
  step,
} from './testing/pipeline/steps.ts'
import { openPipeline, tenant } from './testing/pipeline/world.ts'
import { watchAggregate, watchKey } from './watch/aggregate.ts'

const user = 'ann'
const context = { actor: user }
const minute = 60_000
const hour = 60 * minute
/** On the next day, the clocks in Berlin are set back; a week later, those in New York. */
const start = Date.parse('2026-10-24T10:00:00.000Z')

const webhook = {
  type: 'WEBHOOK',
  configuration: {},
  enabled: true,
  shared: false,
  kinds: null,
  minSeverity: null,
} as const
const initial: readonly ChannelSettings[] = [
  { ...webhook, name: 'all', digest: 'NONE' },
  { ...webhook, name: 'some', kinds: ['TAGS_CHANGED', 'ASSET_DELETED'], digest: 'DAILY' },
  { ...webhook, name: 'everyone', shared: true, digest: 'HOURLY' },
  { ...webhook, name: 'severe', shared: true, minSeverity: 'WARNING', digest: 'NONE' },
]

async function open() {
  const pipeline = await openPipeline(start)
  const { clock, commands, untilDone, digests } = pipeline
  const at = () => new Date(clock.time).toISOString()
  const toChannel = (id: number, command: ChannelCommand) =>
    untilDone(() => commands.handle(channelAggregate, { tenant, id, command, context }))
  const rules = new Map<number, Rule>()

  /** Changes a channel as its route does. */
  async function changeChannel(id: number, change: Partial<ChannelSettings>): Promise<void> {
    const { state } = await untilDone(() => commands.load(channelAggregate, tenant, id))
    if (state.status !== 'present') throw new Error('The channel is missing.')
    const { name, type, configuration, enabled, shared, kinds, minSeverity, digest, secrets } = state
    const settings = { name, type, configuration, enabled, shared, kinds, minSeverity, digest, ...change }
    const digestAt = await digests.dueAfter(tenant, state, settings.digest)
    const resume = change.enabled === true
    await toChannel(id, { type: 'ChangeChannel', settings, secrets, resume, digestAt, at: at() })
  }

  async function changeSettings(change: Extract<SettingsCommand, { type: 'ChangeSettings' }>['change']): Promise<void> {
    const command = { type: 'ChangeSettings' as const, settingsId: 1, user, change, now: clock.time }
    await untilDone(() => commands.handle(settingsAggregate, { tenant, id: settingsKey(user), command, context }))
    await untilDone(() => digests.reschedule(tenant, user))
  }

  async function setRule(ruleId: number, rule: Rule): Promise<void> {
    const settings = settingsOf(rule)
    const command = rules.has(ruleId)
      ? { type: 'ChangeRule' as const, settings, at: at() }
      : { type: 'CreateRule' as const, rule: { ...settings, ruleId, user, createdAt: at(), updatedAt: at() } }
    await untilDone(() => commands.handle(ruleAggregate, { tenant, id: ruleId, command, context }))
    rules.set(ruleId, rule)
  }

  for (const assetId of assetIds) {
    const command = { type: 'Watch' as const, watchId: assetId, target: { assetId }, user, narrowing: {}, at: at() }
    await commands.handle(watchAggregate, { tenant, id: watchKey(user, assetId), command, context })
  }
  for (const [n, settings] of initial.entries()) {
    const digestAt = await digests.dueAt(tenant, { owner: user, digest: settings.digest })
    const command = {
      type: 'CreateChannel' as const,
      channelId: n + 1,
      owner: user,
      secrets: [],
      settings,
      digestAt,
      at: at(),
    }
    await toChannel(n + 1, command)
  }
  await setRule(1, { enabled: true, kinds: null, minSeverity: null, channelIds: [3] })
  await setRule(2, { enabled: true, kinds: null, minSeverity: 'WARNING', channelIds: [3, 4] })

  /** The recipients of a change now: the watcher, and channels of rules. */
  function recipientsOf(change: Change): string[] {
    const minimum = initial.map(({ minSeverity }) => minSeverity)
    const takes = (id: number) =>
      fits(
        { enabled: true, kinds: null, minSeverity: minimum[id - 1] === 'WARNING' ? 'WARNING' : null, channelIds: [] },
        change,
      )
    const routed = sharedIds.filter(
      (id) => takes(id) && [...rules.values()].some((rule) => rule.channelIds.includes(id) && fits(rule, change)),
    )
    return [user, ...routed.map(channelRecipient)]
  }
  return { pipeline, at, toChannel, changeChannel, changeSettings, setRule, recipientsOf }
}

async function run(steps: readonly Step[]): Promise<void> {
  const { pipeline, at, toChannel, changeChannel, changeSettings, setRule, recipientsOf } = await open()
  const { clock, world, commands, untilDone } = pipeline
  const punctuality = watchDigests(pipeline)
  const sent: { change: Change; eventId: string; at: string; required: string[]; allowed: Set<string> }[] = []
  const openCrawls = new Set<number>()
  let numberOfMutes = 0

  async function deliver(one: (typeof sent)[number]): Promise<void> {
    const { change, eventId, at: happenedAt } = one
    for (const recipient of recipientsOf(change)) one.allowed.add(recipient)
    const cause = change.crawlId === null ? undefined : { type: 'crawl' as const, id: change.crawlId }
    await pipeline.notify({ eventId, contents: [contentOf(change, happenedAt)], cause })
  }
  function endCrawl(id: number) {
    const ended = { type: 'crawl' as const, id, assemblyId: undefined }
    return pipeline.notify({ eventId: randomUUID(), contents: [], ended })
  }

  /** Time passes, and all stages run. */
  async function wait(ms: number): Promise<void> {
    await pipeline.follow()
    pipeline.saveCheckpoint()
    clock.time += ms
    const before = world.faults
    await pipeline.poll()
    await punctuality.check(user, world.faults > before)
    await pipeline.follow()
    await pipeline.send()
  }

  async function take(of: Step): Promise<void> {
    switch (of.do) {
      case 'event': {
        const one = {
          change: of,
          eventId: randomUUID(),
          at: at(),
          required: recipientsOf(of),
          allowed: new Set<string>(),
        }
        if (of.crawlId !== null) openCrawls.add(of.crawlId)
        sent.push(one)
        return await deliver(one)
      }
      case 'crawlEnds':
        return await endCrawl(of.crawlId)
      case 'redeliver': {
        const one = sent[of.nth]
        return one && (await deliver(one))
      }
      case 'mute': {
        numberOfMutes += 1
        const until = new Date(clock.time + of.hours * hour).toISOString()
        const about = { muteId: numberOfMutes, user, assetId: null, policyId: null, kind: of.kind }
        const command = { type: 'Mute' as const, mute: { ...about, until, createdAt: at() } }
        await untilDone(() => commands.handle(muteAggregate, { tenant, id: numberOfMutes, command, context }))
        return
      }
      case 'quiet': {
        const time = (epoch: number) => new Date(epoch).toISOString().slice(11, 16)
        const { hours } = of
        return await changeSettings({
          quietHours: hours === null ? null : { from: time(clock.time), to: time(clock.time + hours * hour) },
        })
      }
      case 'settings':
        punctuality.reset()
        return await changeSettings({ timeZone: of.timeZone, digestAt: of.digestAt })
      case 'rule':
        return await setRule(of.ruleId, of.rule)
      case 'digest':
        punctuality.ask(of.channelId)
        return await changeChannel(of.channelId, { digest: of.digest })
      case 'sendDigest':
        punctuality.ask(of.channelId)
        await toChannel(of.channelId, { type: 'RequestDigest', at: at() })
        return
      case 'follow':
        return await pipeline.follow()
      case 'answer':
        world.status = of.status
        return
      case 'readable':
        world.readable = of.readable
        return
      case 'wait':
        return await wait(of.minutes * minute)
      case 'crash':
        world.fault = { after: of.after, isDurable: of.isDurable }
        return pipeline.returnToCheckpoint()
      default:
        of satisfies never
    }
  }

  try {
    for (const each of steps) {
      clock.time += 1
      await take(each)
    }
    world.fault = undefined
    Object.assign(world, { status: 204, readable: true })
    for (const crawlId of openCrawls) await endCrawl(crawlId)
    for (const { channelId } of await pipeline.channels()) await changeChannel(channelId, { enabled: true })
    // Quiet hours end, digests are due, and retries end within a day.
    for (let n = 0; n < 9; n += 1) await wait(3 * hour)
    const [rows, deliveries, channels] = await Promise.all([
      pipeline.rows(),
      pipeline.deliveries(),
      pipeline.channels(),
    ])
    const keys = new Set(rows.map(({ key }) => key))
    const keyOf = (eventId: string, recipient: string, assetId: number) =>
      notificationKey({ eventId, assetId, recipient, channel: 'in-app' })
    for (const { change, eventId, required } of sent)
      for (const recipient of required) expect(keys).toContain(keyOf(eventId, recipient, change.assetId))
    const allowed = new Set(
      sent.flatMap((one) => [...one.allowed].map((recipient) => keyOf(one.eventId, recipient, one.change.assetId))),
    )
    const single = rows.filter(({ collects, kind }) => collects === null && kind !== 'CHANNEL_PAUSED')
    expect(single.filter(({ key }) => !allowed.has(key))).toEqual([])
    expect(rows.filter((one) => one.heldBy === 'QUIET_HOURS' && one.partOf === null)).toEqual([])
    explainRows(rows)
    explainDeliveries({ rows, deliveries, channels, received: pipeline.received })
  } finally {
    await pipeline.close()
  }
}

const changed = { assetId: 1, kind: 'ASSET_CHANGED', severity: null, crawlId: null } as const

/** A crash interrupts a digest, and before it is finished, more is collected and digests end. */
const interrupted = (after: number): [Step[]] => [
  [
    { do: 'event', ...changed },
    { do: 'follow' },
    { do: 'crash', after, isDurable: true },
    { do: 'wait', minutes: 60 },
    { do: 'event', ...changed },
    { do: 'follow' },
    { do: 'digest', channelId: 3, digest: 'NONE' },
  ],
]

it('given any history of events, rules, digests, mutes, quiet hours, crawls and crashes, then each event is delivered, grouped, muted, held or parked for each recipient and channel', async () => {
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), run), {
    numRuns: 15,
    examples: [1, 2, 3].map(interrupted),
  })
}, 60_000)
