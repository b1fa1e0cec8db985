import { randomUUID } from 'node:crypto'
import { createCommandHandler, createNumberBlocks } from '@assay/event-store'
import { eventually, openStores, silent } from '@assay/hosting/testing'
import type { SecondTimers } from '@assay/service-kit'
import { systemTimers } from '@assay/service-kit/node'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { channelAggregate, channels } from '../channel/aggregate.ts'
import { deliveries, messageIdOf, type StoredDelivery } from '../delivery/aggregate.ts'
import { createEnsureDigest } from '../digest/ensure-digest.ts'
import { notificationAggregate } from '../notification/aggregate.ts'
import { createNotify } from '../notifying/notify.ts'
import { createRepeats } from '../notifying/repeats.ts'
import { type AttemptResult, delivered, failed } from '../sending/attempt-result.ts'
import type { Send } from '../sending/sender.ts'
import { notificationCollections } from '../service.ts'
import { createFanOut } from './fan-out.ts'
import { createOutbox } from './outbox.ts'
import { createOutboxes } from './outbox-work.ts'

const tenant = 'default'
const context = { actor: 'ann' }

type Step =
  | { do: 'notify'; assetId: number }
  | { do: 'answer'; status: number }
  | { do: 'wait'; seconds: number }
  | { do: 'enable'; enabled: boolean }
  /** Everything that the process writes from now on is lost; then another process starts. */
  | { do: 'crash' }

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('notify' as const), assetId: fc.integer({ min: 1, max: 3 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('answer' as const), status: fc.constantFrom(204, 204, 500, 429, 410) }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('wait' as const), seconds: fc.integer({ min: 1, max: 20 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('enable' as const), enabled: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('crash' as const) }) },
)

/** Stores, and processes over them that can crash. */
async function openWorld() {
  const clock = { time: Date.parse('2026-11-20T10:00:00.000Z'), now: () => clock.time }
  const stores = await openStores({ name: 'deliveries', collections: notificationCollections, clock })
  const received: { id: string; lane: string; body: string }[] = []
  const world = { status: 204, notified: 0 }

  function startProcess() {
    const life = { isOver: false, ticks: [] as (() => unknown)[] }
    const alive = <T>(value: T): T | Promise<never> => (life.isOver ? new Promise<never>(() => undefined) : value)
    const commit: typeof stores.commit = async (append, puts) => alive(await (await alive(stores.commit))(append, puts))
    const ticking = (work: () => unknown) => {
      life.ticks.push(work)
      return { stop: () => undefined }
    }
    const timers: SecondTimers = { ...systemTimers, every: (_, work) => ticking(work), everySecond: ticking }
    const send: Send = async (_tenant, _channel, { id, body }) => {
      await alive(undefined)
      const { status } = world
      const about = { status, isGone: status === 410, holdUntil: status === 429 ? clock.now() + 3_000 : null }
      const result: AttemptResult = status === 204 ? delivered(204, 1) : failed(`${status}`, 1, about)
      if (result.delivered) received.push({ id, lane: String(JSON.parse(body).data.assetId), body })
      return await alive(result)
    }
    const deps = { ...stores, commit, clock, timers, newId: randomUUID, logger: silent }
    const commands = createCommandHandler(deps)
    const policy = { retries: [2, 5], pauseAfter: 4 }
    const work = {
      ...deps,
      commands,
      send,
      complete: async (_: string, __: object, { body }: { body: string }) => body,
      mayRead: async () => true,
      policy,
      random: () => 0.5,
      workerId: randomUUID(),
      isSole: true,
    }
    const outboxes = createOutboxes(work)
    const outbox = createOutbox({ ...stores, commands, clock, take: outboxes.take })
    const numbers = createNumberBlocks(deps)
    const repeats = createRepeats({ ...deps, commands, windowMs: 0 })
    const ensureDigest = createEnsureDigest({ ...deps, commands })
    const notify = createNotify({ ...deps, commands, numbers, repeats, ensureDigest })
    const ofFanOut = { ...deps, notify, outbox, publicUrl: undefined, onError: () => undefined }
    const fanOut = createFanOut(ofFanOut)
    outboxes.start()
    return { life, commands, fanOut, outboxes, started: fanOut.start() }
  }
  return { clock, stores, received, world, startProcess }
}

async function run(steps: readonly Step[]): Promise<void> {
  const { clock, stores, received, world, startProcess } = await openWorld()
  let process = startProcess()
  await process.started
  const at = () => new Date(clock.time).toISOString()
  const settings = {
    ...({ name: 'c', type: 'WEBHOOK', configuration: {}, enabled: true, shared: false } as const),
    ...({ minSeverity: null, digest: 'NONE' } as const),
    kinds: ['ASSET_CHANGED' as const],
  }
  const toChannel = (command: Parameters<typeof channelAggregate.decider.decide>[0]) =>
    process.commands.handle(channelAggregate, { tenant, id: 1, command, context })
  await toChannel({
    type: 'CreateChannel',
    channelId: 1,
    owner: 'ann',
    secrets: [],
    settings,
    digestAt: null,
    at: at(),
  })
  const tick = () => {
    for (const work of process.life.ticks) void work()
  }
  const restart = async () => {
    process.life.isOver = true
    process = startProcess()
    await process.started
  }
  const notify = async (assetId: number) => {
    world.notified += 1
    clock.time += 1
    const about = {
      kind: 'ASSET_CHANGED',
      severity: 'INFO',
      assetId,
      policyId: null,
      executionId: null,
      watchedId: assetId,
    } as const
    const ids = { notificationId: world.notified, recipient: 'ann', eventId: randomUUID(), at: at(), createdAt: at() }
    const command = { type: 'CreateNotification' as const, ...about, ...ids, title: 't', text: '', link: '/x' }
    await process.commands.handle(notificationAggregate, { tenant, id: randomUUID(), command, context })
  }
  const enable = (enabled: boolean) =>
    toChannel({
      type: 'ChangeChannel',
      settings: { ...settings, enabled },
      secrets: [],
      resume: enabled,
      digestAt: null,
      at: at(),
    })
  for (const one of steps) {
    if (one.do === 'notify') await notify(one.assetId)
    if (one.do === 'answer') world.status = one.status
    if (one.do === 'wait') clock.time += one.seconds * 1_000
    if (one.do === 'enable') await enable(one.enabled)
    if (one.do === 'crash') await restart()
    tick()
    await new Promise((resolve) => setImmediate(resolve))
  }

  const all = async () => (await stores.documents.find(deliveries, tenant, { size: 1_000 })).documents
  await eventually(
    () => process.fanOut.lag(),
    (lag) => lag === 0,
  )
  world.status = 204
  await enable(true)
  const channel = async () => (await stores.documents.find(channels, tenant, { size: 1 })).documents[0]
  const isQuiet = (found: readonly StoredDelivery[]) =>
    found.every(({ status, parkedByPause }) => status === 'DELIVERED' || (status === 'PARKED' && !parkedByPause))
  await eventually(async () => {
    // An attempt that began before may still end with 410, which unsubscribes the channel again.
    if ((await channel())?.state !== 'ACTIVE') await enable(true)
    clock.time += 1_000
    tick()
    return await all()
  }, isQuiet)
  const found = await all()
  const got = new Set(received.map(({ id }) => id))
  for (const { key, status, attempts } of found) {
    if (status === 'DELIVERED') expect(got).toContain(messageIdOf(key))
    else expect(attempts.length).toBeGreaterThan(0)
  }
  // Nothing arrives that no delivery explains, and nothing is lost, except what came while the channel was disabled.
  const ids = new Set(found.map(({ key }) => messageIdOf(key)))
  expect([...got].filter((id) => !ids.has(id))).toEqual([])
  const isAlwaysEnabled = !steps.some((one) => one.do === 'enable' && !one.enabled)
  if (isAlwaysEnabled) expect(found).toHaveLength(world.notified)
  // Of each asset, the first copies arrived in the order of the list. Later ones may be first if some were parked. After a
  // crash, what came while the channel was disabled may be sent late, because the channel is enabled by then.
  const firsts = [...new Map(received.toReversed().map((one) => [one.id, one])).values()].toReversed()
  const parked = found.some(({ status, failures }) => status === 'PARKED' || failures > 0)
  for (const [, of] of Map.groupBy(firsts, ({ lane }) => lane)) {
    const order = of.map(({ body }) => Number(JSON.parse(body).data.id))
    if (!parked && isAlwaysEnabled) expect(order).toEqual(order.toSorted((a, b) => a - b))
  }
  expect(await channel()).toMatchObject({ state: 'ACTIVE', enabled: true })
  await process.fanOut.stop()
  await process.outboxes.stop()
  await stores.close()
}

describe('deliveries', () => {
  it('given any history of events, failures, pauses and crashes, then each is delivered or parked, never lost or unexplained', async () => {
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), run), { numRuns: 10 })
  }, 110_000)
})
