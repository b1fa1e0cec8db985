import type { Clock, Timers } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import type { Database } from '@assay/sqlite'
import { decodedMessage } from '../message.ts'
import type { BusAdapter, Message, Parked } from '../port.ts'
import { defaultRetry, type Retry } from '../retry.ts'
import { tracedHandler, tracedSend } from '../traced.ts'
import { createLog } from './log.ts'
import { createSubscription, type EmbeddedSubscription } from './subscription.ts'

export interface EmbeddedBus extends BusAdapter {
  /**
   * `publish` as a synchronous call, for use within `database.write`: events and messages then share one transaction.
   */
  publishNow(topic: string, messages: readonly Message[]): void
}

interface Member {
  group: string
  topics: readonly string[]
  subscription: EmbeddedSubscription
}

const dayMs = 24 * 60 * 60 * 1000
const pruneEveryMs = 10 * 60 * 1000
const prunePage = 1000

/**
 * A message bus within one process, over tables of `database`. The database belongs to the caller: `close` leaves it
 * open. Messages that every known group has handled are removed after 24 hours; a group is known from its first
 * subscription on. `onError` gets database errors from which the bus recovers by itself.
 */
export function createEmbeddedBus(options: {
  database: Database
  clock: Clock
  timers: Timers
  retry?: Retry
  /** Maximum concurrent handlers per group. Those that wait for a commit at the same time share it. Default 64. */
  concurrency?: number
  /** Maximum keys per group that may wait for a retry without blocking others. Default 64. */
  maxPausing?: number
  /** `healthy` is false if a write has been without an answer for this long. Default 60 s. */
  unhealthyAfterMs?: number
  onError?: (error: unknown) => void
}): EmbeddedBus {
  const {
    database,
    clock,
    timers,
    retry = defaultRetry,
    concurrency = 64,
    maxPausing = 64,
    unhealthyAfterMs = 60_000,
  } = options
  const onError = options.onError ?? (() => {})
  const log = createLog(database)
  const members = new Set<Member>()
  let closed = false
  let pruning: Promise<void> | undefined

  function requireOpen(): void {
    if (closed) throw new AssayError('unavailable', 'The message bus is closed.')
  }

  async function prune(): Promise<void> {
    const before = clock.now() - dayMs
    let after: number | undefined = 0
    while (after !== undefined && !closed) {
      const from: number = after
      after = await database.write(() => log.prune(before, from, prunePage))
    }
  }

  function startPruning(): void {
    pruning ??= prune()
      .catch(onError)
      .finally(() => {
        pruning = undefined
      })
  }

  function publishNow(topic: string, messages: readonly Message[]): void {
    requireOpen()
    log.append(topic, messages, clock.now())
    database.afterCommit(() => {
      for (const member of members) if (member.topics.includes(topic)) member.subscription.wake(topic)
    })
  }

  const pruner = timers.every(pruneEveryMs, startPruning)
  startPruning()

  return {
    publishNow,
    async publish(topic, messages) {
      requireOpen()
      if (messages.length === 0) return
      await tracedSend('assay', topic, messages, (sent) => database.write(() => publishNow(topic, sent)))
    },
    async subscribe({ topics, group, handle }) {
      requireOpen()
      const wanted = [...new Set(topics)]
      const taken = [...members].some(
        (member) => member.group === group && member.topics.some((topic) => wanted.includes(topic)),
      )
      if (taken)
        throw new AssayError(
          'taken',
          `The group ${group} is already subscribed to one of these topics in this process.`,
        )
      const subscription = database.transaction(() =>
        createSubscription({
          database,
          log,
          clock,
          timers,
          retry,
          topics: wanted,
          group,
          handle: tracedHandler('assay', group, handle),
          onError,
          concurrency,
          maxPausing,
        }),
      )
      const member = { group, topics: wanted, subscription }
      members.add(member)
      return {
        lag: subscription.lag,
        close: () => subscription.close().finally(() => members.delete(member)),
      }
    },
    async parked(group) {
      requireOpen()
      return log.parked(group, false).flatMap(({ topic, seq, reason }): Parked[] => {
        const body = log.body(seq)
        if (body === undefined) return []
        const { data: _, ...message } = decodedMessage(body)
        return [{ topic, group, message, reason }]
      })
    },
    async parkedCount(group) {
      requireOpen()
      return log.parked(group, false).length
    },
    async replayParked(group, keys, dropFirstOf) {
      requireOpen()
      const following = [...members].filter((member) => member.group === group)
      const followed = new Set(following.flatMap((member) => member.topics))
      let count = 0
      for (const key of keys)
        for (const { subscription } of following) count += await subscription.replayParked(key, dropFirstOf)
      // Topics without a group: the next group to subscribe starts with these.
      const parked = new Set(log.parked(group, false).map(({ topic }) => topic))
      for (const topic of [...parked].filter((each) => !followed.has(each)))
        for (const key of keys)
          count += await database.write(() => {
            const dropped = topic === dropFirstOf ? log.dropFirst(group, topic, key) : 0
            return dropped + log.putBack(group, topic, key).length
          })
      return count
    },
    healthy: () => !closed && [...members].every(({ subscription }) => subscription.unansweredMs() < unhealthyAfterMs),
    async close() {
      closed = true
      pruner.stop()
      await Promise.all([...members].map(({ subscription }) => subscription.close()))
      members.clear()
      await pruning
    },
  }
}
