import type { Clock, Timers } from '@assay/service-kit'
import { AssayError, messageOf } from '@assay/service-kit/errors'
import type { Database } from '@assay/sqlite'
import { decodedMessage } from '../message.ts'
import type { Delivery, Message, Outcome, Subscription } from '../port.ts'
import { afterFailure, type Retry } from '../retry.ts'
import { createKeyQueues, type Entry, type KeyQueue } from './key-queues.ts'
import type { Log } from './log.ts'
import { createProgress, type Progress } from './progress.ts'
import { createSettlement } from './settlement.ts'

export interface SubscriptionOptions {
  database: Database
  log: Log
  clock: Clock
  timers: Timers
  retry: Retry
  topics: readonly string[]
  group: string
  handle: (delivery: Delivery) => Promise<Outcome>
  /** Called when a message was parked, and if the log cannot be read or written (which is retried). */
  onError: (error: unknown) => void
  /** Concurrent handlers, each for a different key. */
  concurrency: number
  /** Maximum number of keys that may wait for a retry without occupying a handler's slot. */
  maxPausing: number
}

export interface EmbeddedSubscription extends Subscription {
  /** Call it when there may be new messages of the topic. */
  wake(topic: string): void
  replayParked(key: string, dropFirstOf: string | undefined): Promise<number>
  /** How long the file has not confirmed handled messages, in milliseconds; 0 if none wait. */
  unansweredMs(): number
}

/**
 * Maximum number of queued message numbers. When it is reached, the log is read only after some messages were handled.
 */
const maxLoaded = 10_000
const pageSize = 500
/** Number of handlers that begin before the event loop continues: they may read for a millisecond before they wait. */
const startedAtOnce = 8
const pauseAfterFault = 1000
const heldBack = 'An earlier message of the same key is parked.'

/** Subscribes one group to the log. Call within a transaction, because it registers the group. */
export function createSubscription(options: SubscriptionOptions): EmbeddedSubscription {
  const { database, log, clock, timers, topics, group } = options
  const stopping = new AbortController()
  const keyQueues = createKeyQueues()
  const progress = new Map<string, Progress>()
  let places = options.concurrency
  let pausing = 0
  let running = 0
  let replaying = 0
  let isRoundDue = false
  /** Topics that may have messages that are not loaded. */
  const unread = new Set(topics)
  let onIdle: (() => void) | undefined
  let closing: Promise<void> | undefined

  for (const topic of topics) {
    const { checkpoint, handledBeyond } = log.join(group, topic)
    progress.set(topic, createProgress(checkpoint, handledBeyond))
  }
  const settlement = createSettlement({ database, clock, log, group, progress, onError: faulted })
  for (const { topic, key } of log.parked(group, false))
    if (progress.has(topic)) keyQueues.at(topic, key).state = 'parked'
  for (const { topic, key, seq } of log.parked(group, true))
    if (progress.has(topic)) addReplay(keyQueues.at(topic, key), seq)

  function addReplay(keyQueue: KeyQueue, seq: number): void {
    replaying++
    keyQueues.add(keyQueue, { seq, replay: true, attempts: 0 })
  }

  function faulted(error: unknown): void {
    options.onError(error)
    if (stopping.signal.aborted) return
    void timers.sleep(pauseAfterFault, stopping.signal).then(async () => {
      await settlement.flushed()
      for (const topic of topics) unread.add(topic)
      proceed()
    })
  }

  function wake(topic: string): void {
    unread.add(topic)
    proceed()
  }

  function proceed(): void {
    if (isRoundDue || stopping.signal.aborted) return
    isRoundDue = true
    // Yields to the event loop between rounds: handlers that never wait must not starve requests.
    setImmediate(round)
  }

  function round(): void {
    isRoundDue = false
    // If outcomes cannot be recorded, no further message is handled, because all of them would be handled again.
    if (stopping.signal.aborted || settlement.failing()) return
    try {
      // In the subscriber's order, so that the topics that it names first are also handled first.
      for (const topic of topics) if (unread.has(topic) && !load(topic)) unread.delete(topic)
    } catch (error) {
      faulted(error)
    }
    for (let started = 0; started < startedAtOnce && places > 0; started += 1) {
      const keyQueue = keyQueues.next()
      if (keyQueue === undefined) return
      places--
      void work(keyQueue)
    }
    if (places > 0) proceed()
  }

  /** Returns whether the log may have further messages. */
  function load(topic: string): boolean {
    const at = progress.get(topic)
    if (at === undefined) return false
    if (at.open() > maxLoaded - pageSize) return true
    const rows = log.after(topic, at.read(), pageSize)
    for (const { seq, key } of rows) {
      if (!at.load(seq)) continue
      const keyQueue = keyQueues.at(topic, key)
      const entry = { seq, replay: false, attempts: 0 }
      if (keyQueue.state === 'parked') park(keyQueue, entry, heldBack)
      else keyQueues.add(keyQueue, entry)
    }
    if (rows.length === pageSize) proceed()
    return rows.length === pageSize
  }

  /** One attempt at the first message of a busy queue. Its slot is already taken. */
  async function work(keyQueue: KeyQueue): Promise<void> {
    const entry = keyQueue.queue[0]
    if (entry !== undefined) {
      running++
      entry.attempts++
      const outcome = await outcomeOf(keyQueue, entry)
      running--
      if (outcome.kind !== 'retry') settle(keyQueue, entry, outcome)
      else await retryLater(keyQueue, entry, outcome.error)
    }
    places++
    if (stopping.signal.aborted && running === 0) onIdle?.()
    proceed()
  }

  /**
   * Makes the queue ready again after a pause. Meanwhile, other keys can use the slot. If too many keys pause, single
   * messages are not the cause. So the slots stay occupied, and the whole group slows down.
   */
  function retryLater(keyQueue: KeyQueue, entry: Entry, error: unknown): Promise<void> | undefined {
    const after = afterFailure(options.retry, entry, error)
    if ('failures' in after) {
      const reason = `The message failed ${after.failures} times: ${messageOf(error)}`
      parkKey(keyQueue, reason)
      options.onError(
        new AssayError(
          'internal',
          `A message of ${keyQueue.topic} for ${group} is parked, and so are all later ones of its key. ${reason}`,
        ),
      )
      return undefined
    }
    const holdsPlace = pausing >= options.maxPausing
    pausing++
    const paused = timers.sleep(after.pauseMs, stopping.signal).then(() => {
      pausing--
      keyQueues.release(keyQueue)
      proceed()
    })
    return holdsPlace ? paused : undefined
  }

  async function outcomeOf(keyQueue: KeyQueue, entry: Entry): Promise<Outcome> {
    try {
      const body = log.body(entry.seq)
      if (body === undefined) return { kind: 'skip', reason: 'The message has been removed.' }
      const message = readable(body)
      if (message === undefined) return { kind: 'park', reason: 'The record is not a message.' }
      return await options.handle({ topic: keyQueue.topic, message, attempt: entry.attempts })
    } catch (error) {
      return { kind: 'retry', error }
    }
  }

  function readable(body: string): Message | undefined {
    try {
      return decodedMessage(body)
    } catch {
      return undefined
    }
  }

  function settle(keyQueue: KeyQueue, entry: Entry, outcome: Exclude<Outcome, { kind: 'retry' }>): void {
    switch (outcome.kind) {
      case 'done':
      case 'skip':
        keyQueue.queue.shift()
        finish(keyQueue, entry)
        settlement.add({ kind: 'handled', topic: keyQueue.topic, seq: entry.seq, replay: entry.replay })
        keyQueues.release(keyQueue)
        return
      case 'park':
        parkKey(keyQueue, outcome.reason)
        return
      default:
        outcome satisfies never
    }
  }

  function finish(keyQueue: KeyQueue, entry: Entry): void {
    if (entry.replay) replaying--
    else progress.get(keyQueue.topic)?.handle(entry.seq)
  }

  function park(keyQueue: KeyQueue, entry: Entry, reason: string): void {
    finish(keyQueue, entry)
    settlement.add({
      kind: 'parked',
      topic: keyQueue.topic,
      key: keyQueue.key,
      seq: entry.seq,
      replay: entry.replay,
      reason,
    })
  }

  /** Parks the first message for `reason`, and all later messages of its key. */
  function parkKey(keyQueue: KeyQueue, reason: string): void {
    keyQueue.state = 'parked'
    const waiting = keyQueue.queue
    keyQueue.queue = []
    waiting.forEach((entry, index) => {
      park(keyQueue, entry, index === 0 ? reason : heldBack)
    })
  }

  async function replayParked(key: string, dropFirstOf: string | undefined): Promise<number> {
    const held = topics.map((topic) => keyQueues.find(topic, key)).filter((keyQueue) => keyQueue?.state === 'parked')
    let count = 0
    // Messages that are loaded from now on stay in the queues until the released ones are handled.
    for (const keyQueue of held) if (keyQueue !== undefined) keyQueue.state = 'held'
    try {
      await database.write(() => {
        const written = settlement.persistNow()
        const isOurs = dropFirstOf !== undefined && topics.includes(dropFirstOf)
        const dropped = isOurs ? log.dropFirst(group, dropFirstOf, key) : 0
        const rows = topics.map((topic) => log.putBack(group, topic, key))
        // Runs immediately after the commit, so that these settlements are not written again.
        database.afterCommit(() => {
          written()
          held.forEach((keyQueue) => {
            if (keyQueue !== undefined) putBack(keyQueue, rows.flat())
          })
          count = dropped + rows.flat().length
        })
      })
    } catch (error) {
      for (const keyQueue of held) if (keyQueue?.state === 'held') parkKey(keyQueue, heldBack)
      throw error
    }
    proceed()
    return count
  }

  function putBack(keyQueue: KeyQueue, rows: readonly { topic: string; seq: number }[]): void {
    const behind = keyQueue.queue
    keyQueue.queue = []
    for (const { topic, seq } of rows) if (topic === keyQueue.topic) addReplay(keyQueue, seq)
    keyQueue.queue.push(...behind)
    keyQueues.release(keyQueue)
  }

  async function close(): Promise<void> {
    stopping.abort()
    if (running > 0)
      await new Promise<void>((resolve) => {
        onIdle = resolve
      })
    await settlement.flushed()
  }

  proceed()
  return {
    wake,
    replayParked,
    unansweredMs: settlement.unansweredMs,
    async lag() {
      let lag = replaying
      for (const [topic, at] of progress) lag += at.open() + log.countAfter(topic, at.read())
      return lag
    },
    close() {
      closing ??= close()
      return closing
    },
  }
}
