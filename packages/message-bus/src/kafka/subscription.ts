import type { Clock, Timers } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import type { Admin, Consumer, EachBatchPayload, Kafka } from 'kafkajs'
import type { ParkedMessages } from '../parked-messages.ts'
import type { Delivery, Outcome, Subscription } from '../port.ts'
import type { Retry } from '../retry.ts'
import { type AssignedPartition, createAssignedPartitions } from './assigned-partitions.ts'
import { createAssigner } from './assigner.ts'
import { createCommits } from './committing.ts'
import { requestError } from './errors.ts'
import { createJoinWatch } from './join-watch.ts'
import { lagOf } from './lag.ts'
import { createLiveness } from './liveness.ts'
import type { Names } from './names.ts'
import { createSlots } from './slots.ts'
import { withTimeout } from './with-timeout.ts'

export interface GroupSettings {
  sessionTimeoutMs: number
  heartbeatIntervalMs: number
  rebalanceTimeoutMs: number
  /** How long a broker waits for new messages before it answers a fetch with none. */
  maxWaitMs: number
  concurrency: number
  maxPausing: number
  commitEveryMs: number
  /** A consumer that has not polled for this long is abandoned. Must be longer than a join may take. */
  abandonAfterMs: number
  /** `subscribe` resolves after this long, even if the group was not joined. Default: it waits for the first join. */
  joinTimeoutMs?: number | undefined
}

export interface KafkaSubscription extends Subscription {
  /** Epoch milliseconds of the last poll, or of a restart after an error. */
  lastPoll(): number
  /** Call it when messages were released, so that they need not wait for the next check. */
  checkReplays(): void
  /** Whether it is waiting to join the group. A killed member delays a join until its session expires. */
  isJoining(): boolean
}

/** If more messages than this wait in a partition, fetching from it is paused. It resumes below half of this number. */
const maxWaiting = 1000
/**
 * Pause after a fetch that returned messages, so that the next fetch returns more. Brokers answer as soon as there is
 * one message, and for both sides a fetch costs more than its content.
 */
const fetchDelayMs = 10
/**
 * Maximum number of batches of a fetch that are accepted concurrently. This does not limit anything in effect, because accepting is
 * fast.
 */
const atOnce = 64
const firstRestartPause = 200
const maxRestartPause = 5000
const replayCheckMs = 1000
const watchMs = 500
const leaveTimeoutMs = 10_000
const ended = 'The consumer has ended and is restarted.'

/** An error that ends the consumer if the driver gets it. The driver retries all other errors. */
const ending = (message: string) => Object.assign(new Error(message), { retriable: false })

/**
 * Subscribes to topics as a member of one group. Resolves when the first join has succeeded or failed, or after
 * `joinTimeoutMs`.
 */
export async function createSubscription(options: {
  kafka: Pick<Kafka, 'consumer'>
  admin: Admin
  store: ParkedMessages
  names: Names
  topics: readonly string[]
  group: string
  handle: (delivery: Delivery) => Promise<Outcome>
  retry: Retry
  settings: GroupSettings
  clock: Clock
  timers: Timers
  onError: (error: unknown, about: string) => void
}): Promise<KafkaSubscription> {
  const { kafka, admin, names, topics, group, settings, clock, timers, onError } = options
  const groupId = names.group(group)
  const topicOf = new Map(topics.map((topic) => [names.topic(topic), topic]))
  const stopping = new AbortController()
  let consumer: Consumer | undefined
  const liveness = createLiveness(clock, settings)
  /** Resolves when the first consumer has joined, has failed, or is abandoned. */
  const begun = Promise.withResolvers<void>()
  let restarts = 0
  /**
   * Number of joins begun since the last successful one. If there are several, other members may have had the
   * partitions.
   */
  let joins = 0
  let memberId: string | undefined
  let isMember = false
  let starting: Promise<void> = Promise.resolve()
  let closing: Promise<void> | undefined
  const askedAgain = new WeakMap<AssignedPartition, number>()

  const slots = createSlots({
    concurrency: settings.concurrency,
    maxPausing: settings.maxPausing,
    begin: () => assigned.begin(),
  })
  const commits = createCommits({
    everyMs: settings.commitEveryMs,
    timers,
    timeoutMs: settings.abandonAfterMs,
    commit: async (offsets) => consumer?.commitOffsets(offsets),
    onError: (error) =>
      onError(error, 'The offsets of handled messages could not be committed. The commit is retried.'),
  })
  const assigned = createAssignedPartitions({
    ...options,
    groupId,
    slots,
    commits,
    isConfirmed: liveness.isConfirmed,
    stopped: stopping.signal,
  })

  /** Waits for running handlers and commits their messages, within the time limit of a rebalance. */
  async function beforeJoin(current: Consumer) {
    requireCurrent(current)
    joins++
    liveness.joins()
    slots.hold()
    await withTimeout(timers, Math.min(settings.sessionTimeoutMs, settings.rebalanceTimeoutMs) / 2, settle())
    requireCurrent(current)
    return assigned.assignment()
  }

  /**
   * Throws if the consumer is abandoned. An abandoned consumer that could not be stopped must neither join nor fetch
   * when it recovers.
   */
  function requireCurrent(current: Consumer): void {
    if (consumer !== current) throw ending('This consumer is abandoned.')
  }

  async function settle(): Promise<void> {
    await slots.idle()
    await assigned.flushed()
    await commits.now()
  }

  function joined(joinedAs: string, assignment: Readonly<Record<string, number[]>>): void {
    const isContinuous = joins === 1 && joinedAs === memberId
    joins = 0
    restarts = 0
    memberId = joinedAs
    isMember = true
    liveness.joined()
    const continued = assigned.assign(assignment, isContinuous)
    for (const { name, partition, next } of continued) consumer?.seek({ topic: name, partition, offset: String(next) })
    // Partitions that were paused in an earlier assignment would stay paused forever.
    consumer?.resume(Object.entries(assignment).map(([topic, partitions]) => ({ topic, partitions })))
    if (!stopping.signal.aborted) slots.release()
  }

  async function takeBatch(current: Consumer, payload: EachBatchPayload): Promise<void> {
    const { batch, heartbeat, isRunning, isStale, resolveOffset } = payload
    if (consumer !== current) {
      // This consumer was abandoned, and could not be stopped at that time.
      void leave(current)
      return
    }
    const target = assigned.find(batch.topic, batch.partition)
    if (target === undefined) return
    while (target.state() === undefined && !target.isLost() && isRunning()) {
      await Promise.race([target.loaded, timers.sleep(settings.heartbeatIntervalMs / 2)])
      await heartbeat()
      // The driver fetches nothing meanwhile, so the answered heartbeat counts as a poll.
      if (consumer === current) liveness.polled()
    }
    const state = target.state()
    if (state === undefined || target.isLost() || !isRunning() || isStale()) return
    if (skips(target, state.next(), Number(batch.firstOffset()))) return
    state.take(batch.messages)
    resolveOffset(batch.lastOffset())
    if (state.waiting() > maxWaiting) pause(target)
    await timers.sleep(fetchDelayMs, stopping.signal)
  }

  /**
   * Whether the batch begins later than requested. If so, requests it once more. If the batch is then the same, the
   * messages before it were deleted.
   */
  function skips(target: AssignedPartition, next: number, first: number): boolean {
    if (first <= next || askedAgain.get(target) === next) return false
    askedAgain.set(target, next)
    consumer?.seek({ topic: target.name, partition: target.partition, offset: String(next) })
    return true
  }

  function pause(target: AssignedPartition): void {
    const where = [{ topic: target.name, partitions: [target.partition] }]
    const current = consumer
    current?.pause(where)
    void target.below(maxWaiting / 2).then(() => {
      // A new consumer starts without paused partitions.
      if (consumer === current && assigned.find(target.name, target.partition) === target) current?.resume(where)
    })
  }

  async function start(): Promise<void> {
    const current: Consumer = kafka.consumer({
      groupId,
      partitionAssigners: [
        createAssigner(async () => {
          joining.joins()
          return await beforeJoin(current)
        }),
      ],
      sessionTimeout: settings.sessionTimeoutMs,
      heartbeatInterval: settings.heartbeatIntervalMs,
      rebalanceTimeout: settings.rebalanceTimeoutMs,
      maxWaitTimeInMs: settings.maxWaitMs,
      allowAutoTopicCreation: false,
      // `restart` replaces the consumer, because the driver stops on errors that it considers final.
      retry: { retries: 5, initialRetryTime: 100, maxRetryTime: 1000, restartOnFailure: async () => false },
    })
    const joining = createJoinWatch()
    consumer = current
    liveness.begun()
    current.on(current.events.GROUP_JOIN, ({ payload }) => {
      requireCurrent(current)
      joining.joined()
      joined(payload.memberId, payload.memberAssignment)
    })
    current.on(current.events.REBALANCING, joining.rebalancing)
    current.on(current.events.HEARTBEAT, () => {
      if (consumer === current) liveness.confirmed()
    })
    current.on(current.events.FETCH_START, ({ payload }) => {
      requireCurrent(current)
      if (joining.fetches(payload.nodeId)) throw ending('The group could not be joined.')
    })
    current.on(current.events.FETCH, ({ payload }) => {
      joining.fetched(payload.nodeId)
      if (consumer === current) liveness.polled()
    })
    current.on(current.events.CRASH, ({ payload }) => {
      if (consumer === current) restart(payload.error, ended)
    })
    try {
      await current.connect()
      requireCurrent(current)
      await current.subscribe({ topics: [...topicOf.keys()], fromBeginning: true })
      requireCurrent(current)
      await current.run({
        autoCommit: false,
        eachBatchAutoResolve: false,
        partitionsConsumedConcurrently: atOnce,
        eachBatch: (payload) => takeBatch(current, payload),
      })
      requireCurrent(current)
    } catch (error) {
      await leave(current)
      if (consumer === current) restart(error, ended)
    }
  }

  /** A safety net, in case the driver stalls silently for any reason. */
  function watch(): void {
    const current = consumer
    if (current === undefined || stopping.signal.aborted || !liveness.isStalled()) return
    liveness.abandoned()
    const seconds = Math.round(settings.abandonAfterMs / 1000)
    const error = new AssayError('unavailable', `The group ${group} was not joined or served for ${seconds} s.`)
    restart(error, 'The consumer is stuck: it is abandoned and replaced by a new one.')
    void leave(current)
  }

  function restart(error: unknown, about: string): void {
    begun.resolve()
    consumer = undefined
    memberId = undefined
    isMember = false
    joins = 0
    assigned.assign({}, false)
    if (stopping.signal.aborted) return
    onError(error, about)
    const wait = Math.min(maxRestartPause, firstRestartPause * 2 ** restarts++)
    void timers.sleep(wait, stopping.signal).then(async () => {
      if (stopping.signal.aborted) return
      starting = start()
      await starting
    })
  }

  async function close(): Promise<void> {
    stopping.abort()
    slots.hold()
    replayTimer.stop()
    stallTimer.stop()
    await slots.idle()
    await withTimeout(timers, leaveTimeoutMs, settle())
    commits.close()
    // A consumer cannot be stopped while it joins.
    await withTimeout(timers, leaveTimeoutMs, starting)
    const current = consumer
    consumer = undefined
    assigned.assign({}, false)
    assigned.close()
    if (current !== undefined) await withTimeout(timers, leaveTimeoutMs, leave(current))
  }

  async function leave(current: Consumer): Promise<void> {
    await current.disconnect().catch((error: unknown) => onError(error, 'The group could not be left.'))
  }

  const replayTimer = timers.every(replayCheckMs, assigned.checkReplays)
  const stallTimer = timers.every(watchMs, watch)
  starting = start().finally(begun.resolve)
  if (settings.joinTimeoutMs === undefined) await begun.promise
  else await withTimeout(timers, settings.joinTimeoutMs, begun.promise)

  return {
    lastPoll: liveness.lastPoll,
    checkReplays: assigned.checkReplays,
    isJoining: () => !isMember && !stopping.signal.aborted,
    async lag() {
      try {
        return await lagOf({ admin, groupId, topics: [...topicOf.keys()], find: assigned.find })
      } catch (error) {
        throw requestError(error, 'report the lag of the group')
      }
    },
    close() {
      closing ??= close()
      return closing
    },
  }
}
