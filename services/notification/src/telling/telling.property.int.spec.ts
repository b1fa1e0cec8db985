import { randomUUID } from 'node:crypto'
import { createCommandHandler, createNumberBlocks } from '@assay/event-store'
import { openStores, silent } from '@assay/hosting/testing'
import { AssayError } from '@assay/service-kit/errors'
import { systemTimers } from '@assay/service-kit/node'
import { createDuePoller } from '@assay/work'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createDigestTelling } from '../digest/tell-digest.ts'
import { createGroupTelling } from '../group/tell-group.ts'
import { createMentionedUsers } from '../mentions/mentioned-users.ts'
import { muteAggregate } from '../mute/aggregate.ts'
import { groupOfRow, groupRowKey, notifications, placeOf } from '../notification/aggregate.ts'
import type { StoredNotification } from '../notification/notification.ts'
import { createChannelsFor } from '../routing/channels-for.ts'
import { createWatchers } from '../routing/watchers.ts'
import { notificationCollections } from '../service.ts'
import { settingsAggregate, settingsKey } from '../settings/aggregate.ts'
import { createNotifyWatchers } from '../triggers/notify-watchers.ts'
import type { NotificationTrigger, WatchedContent } from '../triggers/trigger.ts'
import { watchAggregate, watchKey } from '../watch/aggregate.ts'
import { createRepeats } from './repeats.ts'
import { createTell } from './tell.ts'

const tenant = 'default'
const user = 'ann'
const context = { actor: user }
const hour = 3_600_000
const kinds = ['ASSET_CHANGED', 'TAGS_CHANGED', 'ASSET_DELETED'] as const

const change = { assetId: fc.integer({ min: 1, max: 3 }), kind: fc.constantFrom(...kinds) }
type Step =
  | { do: 'event'; assetId: number; kind: (typeof kinds)[number]; crawlId: number | null }
  | { do: 'crawlEnds'; crawlId: number }
  | { do: 'redeliver'; nth: number }
  | { do: 'mute'; kind: (typeof kinds)[number]; hours: number }
  | { do: 'quiet'; hours: number | null }
  | { do: 'wait'; minutes: number }
  /** The nth write from now on fails, before or after it is durable. */
  | { do: 'crash'; after: number; isDurable: boolean }

const crawlId = fc.integer({ min: 1, max: 2 })
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ do: fc.constant('event' as const), ...change, crawlId: fc.option(crawlId) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('crawlEnds' as const), crawlId }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('redeliver' as const), nth: fc.nat(30) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      ...{ do: fc.constant('mute' as const), kind: change.kind, hours: fc.integer({ min: 1, max: 3 }) },
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('quiet' as const), hours: fc.option(fc.integer({ min: 1, max: 3 })) }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('wait' as const), minutes: fc.integer({ min: 0, max: 90 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      ...{ do: fc.constant('crash' as const), after: fc.nat(4), isDurable: fc.boolean() },
    }),
  },
)

async function openWorld() {
  const clock = { time: Date.parse('2026-11-20T10:00:00.000Z'), now: () => clock.time }
  const stores = await openStores({ name: 'telling', collections: notificationCollections, clock })
  let fault: { after: number; isDurable: boolean } | undefined
  const commit: typeof stores.commit = async (append, puts) => {
    const isNow = fault !== undefined && fault.after-- <= 0
    const { isDurable = false } = fault ?? {}
    if (isNow) fault = undefined
    if (isNow && !isDurable) throw new AssayError('unavailable', 'Gone.')
    const appended = await stores.commit(append, puts)
    if (isNow) throw new AssayError('unavailable', 'Gone.')
    return appended
  }
  const deps = { ...stores, commit, clock, timers: systemTimers, newId: randomUUID, logger: silent }
  const { documents } = stores
  const commands = createCommandHandler(deps)
  const numbers = createNumberBlocks(deps)
  const repeats = createRepeats({ documents, commands, clock, windowMs: hour })
  const tell = createTell({ commands, documents, numbers, repeats, clock })
  const mentionedUsers = createMentionedUsers({ documents, clock })
  const routing = {
    watchersOf: createWatchers({ documents, repeats }),
    channelsFor: createChannelsFor({ documents, repeats }),
  }
  const notify = createNotifyWatchers({ commands, documents, tell, ...routing, mentionedUsers, clock })
  const kinds = [createGroupTelling, createDigestTelling].map((create) =>
    create({ commands, documents, numbers, clock }),
  )
  const poller = createDuePoller({ ...deps, kinds })

  /** The bus delivers a message again until its handler succeeds. */
  async function deliver(trigger: NotificationTrigger): Promise<void> {
    for (;;) {
      try {
        return await notify(tenant, trigger)
      } catch (error) {
        expect(error).toBeInstanceOf(AssayError)
      }
    }
  }
  const handle: typeof commands.handle = async (...asked) => {
    for (;;) {
      try {
        return await commands.handle(...asked)
      } catch (error) {
        expect(error).toMatchObject({ code: 'unavailable' })
      }
    }
  }
  const all = async () => (await documents.find(notifications, tenant, { size: 1_000 })).documents
  return { clock, deliver, handle, all, poller, close: stores.close, fail: (of: typeof fault) => (fault = of) }
}

function contentOf({ assetId, kind }: { assetId: number; kind: (typeof kinds)[number] }, at: string): WatchedContent {
  const about = { assetId, policyId: null, executionId: null, link: `/assets/${assetId}`, at }
  return { ...about, kind, title: `asset ${assetId}: ${kind}`, text: '' }
}

/** Each notification is in the list, held, or part of a row that counts it; each row counts what it has. */
function explain(stored: readonly StoredNotification[]): void {
  const rows = stored.filter((one) => placeOf(one) !== 'part')
  for (const one of stored) {
    if (one.partOf === null) continue
    const [row, ...others] = rows.filter(
      ({ key, collects }) => collects === one.partOf || groupOfRow(key) === one.partOf,
    )
    expect([one.partOf, row?.recipient, others]).toEqual([one.partOf, user, []])
  }
  for (const row of rows) {
    const group = row.collects ?? groupOfRow(row.key)
    const parts = stored.filter(({ partOf }) => partOf === group)
    expect(row.parts).toBe(parts.length)
    const assets = new Set(parts.map(({ assetId }) => assetId)).size
    const isCrawl = group.startsWith('crawl/')
    expect(row.count).toBe(isCrawl ? assets : row.collects === null ? parts.length + 1 : parts.length)
    if (isCrawl) expect(row.key).toBe(groupRowKey(group, user))
  }
}

async function run(steps: readonly Step[]): Promise<void> {
  const world = await openWorld()
  const { clock, deliver, handle } = world
  try {
    for (const assetId of [1, 2, 3]) {
      const at = new Date(clock.time).toISOString()
      const command = { type: 'Watch' as const, watchId: assetId, target: { assetId }, user, narrowing: {}, at }
      await handle(watchAggregate, { tenant, id: watchKey(user, assetId), command, context })
    }
    const sent: NotificationTrigger[] = []
    const open = new Set<number>()
    let numberOfMutes = 0
    for (const of of steps) {
      clock.time += 1
      const at = new Date(clock.time).toISOString()
      switch (of.do) {
        case 'event': {
          const crawl = of.crawlId === null ? {} : { crawlId: of.crawlId }
          const trigger = { eventId: randomUUID(), contents: [contentOf(of, at)], ...crawl }
          if (of.crawlId !== null) open.add(of.crawlId)
          sent.push(trigger)
          await deliver(trigger)
          break
        }
        case 'crawlEnds':
          await deliver({ eventId: randomUUID(), contents: [], endedCrawlId: of.crawlId })
          break
        case 'redeliver': {
          const trigger = sent[of.nth]
          if (trigger !== undefined) await deliver(trigger)
          break
        }
        case 'mute': {
          numberOfMutes += 1
          const until = new Date(clock.time + of.hours * hour).toISOString()
          const about = { muteId: numberOfMutes, user, assetId: null, policyId: null, kind: of.kind }
          const command = { type: 'Mute' as const, mute: { ...about, until, createdAt: at } }
          await handle(muteAggregate, { tenant, id: numberOfMutes, command, context })
          break
        }
        case 'quiet': {
          const time = (epoch: number) => new Date(epoch).toISOString().slice(11, 16)
          const hours = of.hours
          const quietHours = hours === null ? null : { from: time(clock.time), to: time(clock.time + hours * hour) }
          const command = {
            type: 'ChangeSettings' as const,
            settingsId: 1,
            user,
            change: { quietHours },
            now: clock.time,
          }
          await handle(settingsAggregate, { tenant, id: settingsKey(user), command, context })
          break
        }
        case 'wait':
          clock.time += of.minutes * 60_000
          await world.poller.poll()
          break
        case 'crash':
          world.fail(of)
          break
        default:
          of satisfies never
      }
    }
    world.fail(undefined)
    for (const crawlId of open) await deliver({ eventId: randomUUID(), contents: [], endedCrawlId: crawlId })
    // The quiet hours end.
    for (let n = 0; n < 4; n += 1) {
      clock.time += 2 * hour
      await world.poller.poll()
    }
    const stored = await world.all()
    const single = stored.filter(({ collects }) => collects === null)
    expect(single).toHaveLength(sent.length)
    expect(stored.filter((one) => one.heldBy === 'QUIET_HOURS' && one.partOf === null)).toEqual([])
    explain(stored)
  } finally {
    await world.close()
  }
}

it('given any history of events, mutes, quiet hours, crawls and crashes, then each notification is listed, grouped, muted or held once', async () => {
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), run), { numRuns: 12 })
}, 60_000)
