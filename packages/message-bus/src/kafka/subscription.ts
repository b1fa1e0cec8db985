import type { Clock, Timers } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import type { Admin, Consumer, EachBatchPayload, Kafka } from 'kafkajs'
import type { ParkedMessages } from '../parked-messages.ts'
import type { Delivery, Outcome, Subscription } from '../port.ts'
import type { Retry } from '../retry.ts'
import { type AssignedPartition, createAssignedPartitions } from './assigned-partitions.ts'
import { createAssigner } from './assigner.ts'
import { createCommits } from './committing.ts'
import { askingError } from './errors.ts'
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
  /** How long the broker may wait for new messages before it answers that there are none. */
  maxWaitMs: number
  concurrency: number
  maxPausing: number
  commitEveryMs: number
  /** A consumer that has not polled for this long is abandoned; longer than a join may take. */
  givenUpAfterMs: number
  /** `subscribe` resolves after this long, joined or not. Absent: after the first join. */
  joinTimeoutMs?: number | undefined
}

export interface KafkaSubscription extends Subscription {
  /** Epoch milliseconds of the last poll, or of a restart after an error. */
  lastPoll(): number
  /** Messages were released: does not wait for the next look. */
  lookForReplays(): void
  /** Whether it waits to join the group: a killed member blocks it until its session ends. */
  isJoining(): boolean
}

/** With more waiting messages than this a partition is paused; below half of it, it is resumed. */
const maxWaiting = 1000
/**
 * Pause after a fetch that returned something, so that the next one returns more at once. The broker answers as soon as
 * there is one message, and a fetch costs both sides more than its content.
 */
const gatherMs = 10
/** Batches of one fetch accepted at once: accepting does not wait, so all of them. */
const atOnce = 64
const firstRestartPause = 200
const maxRestartPause = 5000
const replayLookMs = 1000
const watchMs = 500
const leaveTimeoutMs = 10_000
const ended = 'The consumer has ended and is started again.'

/** Thrown into the driver it ends the consumer: other errors are retried. */
const ending = (message: string) => Object.assign(new Error(message), { retriable: false })

/**
 * Subscribes to topics as a member of one group. Resolves when the first join is over or has failed, or after
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
  /** Ends when the first consumer has joined, has failed, or is abandoned. */
  const begun = Promise.withResolvers<void>()
  let restarts = 0
  /** Joins begun since the last successful one: with more than one, others may have had our partitions in between. */
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
    timeoutMs: settings.givenUpAfterMs,
    commit: async (offsets) => consumer?.commitOffsets(offsets),
    onError: (error) => onError(error, 'The offsets of handled messages could not be committed yet.'),
  })
  const assigned = createAssignedPartitions({
    ...options,
    groupId,
    slots,
    commits,
    isConfirmed: liveness.isConfirmed,
    stopped: stopping.signal,
  })

  /** Running handlers finish and are committed, as far as the time of a rebalance allows. */
  async function beforeJoin(current: Consumer) {
    requireCurrent(current)
    joins++
    liveness.joins()
    slots.hold()
    await withTimeout(timers, Math.min(settings.sessionTimeoutMs, settings.rebalanceTimeoutMs) / 2, settle())
    requireCurrent(current)
    return assigned.assignment()
  }

  /** An abandoned consumer that could not be stopped must neither join nor fetch when it recovers. */
  function requireCurrent(current: Consumer): void {
    if (consumer !== current) throw ending('This consumer is given up.')
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
    const kept = assigned.assign(assignment, isContinuous)
    for (const { name, partition, next } of kept) consumer?.seek({ topic: name, partition, offset: String(next) })
    // Partitions paused in an earlier assignment would stay paused forever.
    consumer?.resume(Object.entries(assignment).map(([topic, partitions]) => ({ topic, partitions })))
    if (!stopping.signal.aborted) slots.goOn()
  }

  async function takeBatch(current: Consumer, payload: EachBatchPayload): Promise<void> {
    const { batch, heartbeat, isRunning, isStale, resolveOffset } = payload
    if (consumer !== current) {
      // It was abandoned while it could not be stopped.
      void leave(current)
      return
    }
    const holding = assigned.find(batch.topic, batch.partition)
    if (holding === undefined) return
    while (holding.state() === undefined && !holding.isLost() && isRunning()) {
      await Promise.race([holding.loaded, timers.sleep(settings.heartbeatIntervalMs / 2)])
      await heartbeat()
      // Meanwhile the driver fetches nothing: the group's answer is the sign of life.
      if (consumer === current) liveness.polled()
    }
    const state = holding.state()
    if (state === undefined || holding.isLost() || !isRunning() || isStale()) return
    if (skips(holding, state.next(), Number(batch.firstOffset()))) return
    state.take(batch.messages)
    resolveOffset(batch.lastOffset())
    if (state.waiting() > maxWaiting) pause(holding)
    await timers.sleep(gatherMs, stopping.signal)
  }

  /**
   * Whether the batch begins later than requested. It is requested again once: the missing part may have been deleted.
   */
  function skips(holding: AssignedPartition, next: number, first: number): boolean {
    if (first <= next || askedAgain.get(holding) === next) return false
    askedAgain.set(holding, next)
    consumer?.seek({ topic: holding.name, partition: holding.partition, offset: String(next) })
    return true
  }

  function pause(holding: AssignedPartition): void {
    const where = [{ topic: holding.name, partitions: [holding.partition] }]
    const current = consumer
    current?.pause(where)
    void holding.below(maxWaiting / 2).then(() => {
      // Another consumer starts with nothing paused.
      if (consumer === current && assigned.find(holding.name, holding.partition) === holding) current?.resume(where)
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
      // We restart the consumer: the driver gives up on errors that it considers final.
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

  /** A safety net for all known and unknown reasons for which the driver stalls silently. */
  function watch(): void {
    const current = consumer
    if (current === undefined || stopping.signal.aborted || !liveness.standsStill()) return
    liveness.givenUp()
    const seconds = Math.round(settings.givenUpAfterMs / 1000)
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
    looking.stop()
    watching.stop()
    await slots.idle()
    await withTimeout(timers, leaveTimeoutMs, settle())
    commits.close()
    // A consumer that is just joining cannot be stopped.
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

  const looking = timers.every(replayLookMs, assigned.lookForReplays)
  const watching = timers.every(watchMs, watch)
  starting = start().finally(begun.resolve)
  if (settings.joinTimeoutMs === undefined) await begun.promise
  else await withTimeout(timers, settings.joinTimeoutMs, begun.promise)

  return {
    lastPoll: liveness.lastPoll,
    lookForReplays: assigned.lookForReplays,
    isJoining: () => !isMember && !stopping.signal.aborted,
    async lag() {
      try {
        return await lagOf({ admin, groupId, topics: [...topicOf.keys()], find: assigned.find })
      } catch (error) {
        throw askingError(error, 'tell how far the group is behind')
      }
    },
    close() {
      closing ??= close()
      return closing
    },
  }
}
