import type { Documents } from '@assay/documents'
import type { CommandHandler } from '@assay/event-store'
import { type Clock, isoTime } from '@assay/service-kit'
import { inParallel } from '@assay/service-kit/in-parallel'
import { channelAggregate } from '../channel/aggregate.ts'
import type { Channel } from '../channel/channel.ts'
import { type ChannelCommand, isActive } from '../channel/decide.ts'
import type { MayRead } from '../copies/keys.ts'
import { deliveryAggregate, messageIdOf, type StoredDelivery } from '../delivery/aggregate.ts'
import type { DeliveryCommand } from '../delivery/delivery.ts'
import type { About } from '../notification/about.ts'
import type { AttemptResult } from '../sending/attempt-result.ts'
import type { Send } from '../sending/sender.ts'
import type { CompleteMessage } from './bad-rows.ts'
import { dueDeliveries, eachDelivery } from './due-deliveries.ts'
import { isHoldObeyed, nextAttempt } from './retries.ts'
import { parkUnreadable } from './unreadable.ts'

/** The operator's settings for retries. */
export interface DeliveryPolicy {
  /** Seconds between attempts; after the last one, a delivery is parked. */
  retries: readonly number[]
  /** A channel is paused after this number of consecutive failed attempts. */
  pauseAfter: number
}

export interface OutboxDeps {
  commands: CommandHandler
  documents: Pick<Documents, 'find'>
  send: Send
  complete: CompleteMessage
  mayRead: MayRead
  policy: DeliveryPolicy
  clock: Clock
  /** From 0 to 1. */
  random: () => number
}

const lanesAtOnce = 16
const parksAtOnce = 32
const context = { actor: 'system' }

/** How long the permissions of the owner of a channel are remembered while its messages are sent, in milliseconds. */
const readableMs = 1_000

type Moving = { type: 'ParkDelivery'; reason: string } | { type: 'ReplayDelivery' }

const inactivityOf = ({ enabled, state }: Channel): string =>
  `Not sent, because the channel is ${enabled ? state : 'disabled'}. It is sent when the channel is enabled.`

interface Batch {
  isOver: boolean
  failures: number
  /** Whether the owner of the channel may read this. */
  isReadable(about: About): Promise<boolean>
}

interface Holding {
  signal: AbortSignal
  /** Rejects if another worker may have claimed the outbox. */
  confirm(): Promise<void>
}

/**
 * Sends all due deliveries of a channel: lanes in parallel, the messages of a lane one after the other. Returns when the
 * next retry is due (ISO 8601 UTC); `null` if none waits.
 */
export async function emptyOutbox(
  deps: OutboxDeps,
  { tenant, channelId }: { tenant: string; channelId: number },
  { signal, confirm }: Holding,
): Promise<string | null> {
  const { commands, documents, send, complete, mayRead, policy, clock, random } = deps
  const now = () => isoTime(clock.now())
  const toChannel = (command: ChannelCommand) =>
    commands.handle(channelAggregate, { tenant, id: channelId, command, context })
  const toDelivery = (id: string, command: DeliveryCommand) =>
    commands.handle(deliveryAggregate, { tenant, id, command, context })

  async function moveAll(which: 'open' | 'parkedByPause', command: Moving): Promise<void> {
    for await (const page of eachDelivery(documents, { tenant, channelId }, which)) {
      await confirm()
      await inParallel(page, parksAtOnce, ({ key }) => toDelivery(key, { ...command, at: now() }))
    }
  }

  async function recordFailure(delivery: StoredDelivery, channel: Channel, result: AttemptResult) {
    const { status, latencyMs, error, isGone, isFinal, holdUntil, taken } = result
    const at = now()
    const attempt = { at, status, latencyMs, error }
    const heldUntil = holdUntil === null ? null : isoTime(holdUntil)
    const { pauseAfter, retries } = policy
    const { triedSince } = delivery
    const isObeyed = (...since: (string | undefined)[]) => isHoldObeyed({ since, retries, now: clock.now() })
    // The hold is the channel's alone, so that enabling the channel ends it.
    if (heldUntil !== null && isObeyed(triedSince, channel.heldSince)) {
      // First, because nobody may see or send a delivery that is due meanwhile.
      const held = await toChannel({ type: 'Hold', heldUntil, at })
      await toDelivery(delivery.key, { type: 'RecordHold', attempt, at })
      return held
    }
    const isLast = isFinal || (heldUntil !== null && !isObeyed(triedSince))
    const failures = delivery.failures + 1
    const next = isLast ? null : nextAttempt({ failures, retries, now: clock.now(), random: random() })
    const after = next === null ? null : isoTime(next)
    const recorded = { attempt, delivered: false, nextAttemptAt: after, taken, at }
    await toDelivery(delivery.key, { type: 'RecordAttempt', ...recorded })
    // The mail server works, and refuses single addresses.
    if (taken !== undefined) return toChannel({ type: 'SucceedAttempt', at })
    if (delivery.taken !== undefined) return commands.load(channelAggregate, tenant, channelId)
    const reason = error ?? 'An attempt failed.'
    return toChannel({ type: 'FailAttempt', at, reason, heldUntil, isGone, pauseAfter })
  }

  /** `mayRead` for the owner, asked at most once a second: a channel gets many messages at once. */
  function ownerReads({ owner }: Channel): (about: About) => Promise<boolean> {
    const answers = new Map<About, { at: number; answer: Promise<boolean> }>()
    return (about) => {
      const at = clock.now()
      const known = answers.get(about)
      if (known !== undefined && Math.abs(at - known.at) < readableMs) return known.answer
      const answer = mayRead(tenant, owner, about)
      answers.set(about, { at, answer })
      return answer
    }
  }

  /** Sends one delivery. Returns whether the lane may continue. */
  async function attempt(delivery: StoredDelivery, channel: Channel, batch: Batch) {
    await confirm()
    const { key } = delivery
    // A shared channel is the tenant's, so it does not depend on the keys of who created it.
    if (!channel.shared && !(await batch.isReadable(delivery.about))) {
      await toDelivery(key, parkUnreadable(now()))
      return true
    }
    const body = await complete(tenant, channel, delivery)
    const result = await send(tenant, channel, { id: messageIdOf(key), body, taken: delivery.taken }, signal)
    if (!result.delivered) {
      const isPartly = (result.taken ?? delivery.taken) !== undefined
      if (!isPartly) batch.failures += 1
      const { state } = await recordFailure(delivery, channel, result)
      if (state.status !== 'present' || !isActive(state) || result.holdUntil !== null) batch.isOver = true
      return isPartly
    }
    const at = now()
    const { status, latencyMs } = result
    const recorded = { at, status, latencyMs, error: null }
    await toDelivery(key, { type: 'RecordAttempt', attempt: recorded, delivered: true, nextAttemptAt: null, at })
    if (channel.failures > 0 || channel.heldSince !== undefined || batch.failures > 0) {
      batch.failures = 0
      await toChannel({ type: 'SucceedAttempt', at })
    }
    return true
  }

  await moveAllParked()
  for (;;) {
    signal.throwIfAborted()
    const { state: channel } = await commands.load(channelAggregate, tenant, channelId)
    if (channel.status !== 'present') return null
    if (!isActive(channel)) {
      await moveAll('open', { type: 'ParkDelivery', reason: inactivityOf(channel) })
      return null
    }
    if (channel.heldUntil !== null && channel.heldUntil > now()) return channel.heldUntil
    const { lanes, nextAt } = await dueDeliveries(documents, { tenant, channelId, at: now() })
    if (lanes.length === 0) return nextAt
    const batch = { isOver: false, failures: 0, isReadable: ownerReads(channel) }
    // After a hold, one message goes first: a receiver that limits its rate would refuse all others, too.
    const [first] = lanes
    const some = channel.heldSince === undefined || first === undefined ? lanes : [first.slice(0, 1)]
    await inParallel(some, lanesAtOnce, async (lane) => {
      for (const delivery of lane) if (batch.isOver || !(await attempt(delivery, channel, batch))) return
    })
  }

  /** If the channel is active, replays the deliveries that its pause parked. */
  async function moveAllParked(): Promise<void> {
    const { state } = await commands.load(channelAggregate, tenant, channelId)
    if (state.status === 'present' && isActive(state)) await moveAll('parkedByPause', { type: 'ReplayDelivery' })
  }
}
