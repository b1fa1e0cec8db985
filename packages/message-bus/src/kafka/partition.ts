import type { Timers } from '@assay/service-kit'
import { AssayError, messageOf } from '@assay/service-kit/errors'
import type { IHeaders, KafkaMessage } from 'kafkajs'
import { createKeyQueues, type Entry, type KeyQueue } from '../embedded/key-queues.ts'
import { type ParkedEntry, type ParkedMessages, released } from '../parked-messages.ts'
import type { Delivery, Message, Outcome } from '../port.ts'
import { afterFailure, type Retry } from '../retry.ts'
import type { Handled } from './handled.ts'
import type { ParkingWriter } from './parking-writer.ts'
import { createProgress } from './progress.ts'
import { decodedRecord, keyOf, messageOfRecord, textsOf } from './record.ts'
import type { Slots } from './slots.ts'

/** The state of an assigned partition: queues by key, handled and parked messages. */
export interface Partition {
  /** Accepts fetched messages, and skips known ones. */
  take(records: readonly KafkaMessage[]): void
  /** The next offset to accept. */
  next(): number
  /** The number of messages that are queued or being handled. */
  waiting(): number
  /** The number of accepted or released messages that are not handled yet. */
  open(): number
  handled(): Handled
  /** Starts one message, if one is ready. */
  begin(): boolean
  running(): number
  hasParked(): boolean
  /** For each of these keys, queues its parked messages before the waiting ones. The keys have released messages. */
  replay(keys: readonly string[]): Promise<void>
  /** The partition is lost. From now on, no message is started or parked. */
  lose(): void
}

interface Body {
  /** The id of the record. It is needed because a recreated topic has other records at the same offsets. */
  id: string
  key: string
  value: Buffer | null
  headers: IHeaders | undefined
  message: Message | undefined
}

const heldBack = 'An earlier message of the same key is parked.'
const unreadable = 'The record is not a message'
const shownOfUnreadable = 200

export function createPartition(options: {
  group: string
  topic: string
  partition: number
  handled: Handled
  /** The parked and released messages, in order. */
  entries: readonly ParkedEntry[]
  store: Pick<ParkedMessages, 'ofPartition' | 'body'>
  writer: ParkingWriter
  handle: (delivery: Delivery) => Promise<Outcome>
  retry: Retry
  timers: Timers
  slots: Slots
  onError: (error: unknown, about: string) => void
  /** Called when a message was handled and should be committed soon. */
  onHandled: () => void
}): Partition {
  const { group, topic, partition, store, writer, slots, timers } = options
  const keyQueues = createKeyQueues()
  const bodies = new Map<number, Body>()
  const parkedKeys = new Set<string>()
  /** Released messages that are not handled yet. Their numbers are negative, because these cannot be offsets. */
  const replays = new Map<number, ParkedEntry>()
  /** Messages that an earlier owner has parked, but may not have committed. */
  const known = new Set(options.entries.map(({ id }) => id))
  const lost = new AbortController()
  let running = 0
  let nextOrder = (options.entries.at(-1)?.order ?? -1) + 1

  const progress = createProgress(options.handled)
  for (const [key, entries] of Map.groupBy(options.entries, (entry) => entry.key)) {
    // Completes an interrupted release or parking of a key. Both begin with the first message of the key.
    const isReleased = entries[0]?.isReleased === true
    const whole = entries.map((entry) => (entry.isReleased === isReleased ? entry : released(entry, isReleased)))
    const changed = whole.filter((entry, index) => entry !== entries[index])
    if (changed.length > 0) void writer.writeWhileHeld(changed.map((entry) => ({ entry })))
    if (isReleased) for (const entry of whole) putBack(entry)
    else hold(keyQueues.at(topic, key))
  }

  function hold(keyQueue: KeyQueue): void {
    keyQueue.state = 'parked'
    parkedKeys.add(keyQueue.key)
  }

  function putBack(entry: ParkedEntry): void {
    const seq = -1 - entry.order
    replays.set(seq, entry)
    keyQueues.add(keyQueues.at(topic, entry.key), { seq, replay: true, attempts: 0 })
  }

  function take(records: readonly KafkaMessage[]): void {
    for (const record of records) {
      const offset = Number(record.offset)
      if (!progress.load(offset)) continue
      const key = keyOf(record)
      const { value, headers } = record
      const id = [group, topic, partition, offset, record.timestamp].join(' ')
      if (known.has(id)) {
        progress.handle(offset)
        options.onHandled()
        continue
      }
      bodies.set(offset, { id, key, value, headers, message: decodedRecord(key, value, headers) })
      const keyQueue = keyQueues.at(topic, key)
      const entry = { seq: offset, replay: false, attempts: 0 }
      if (keyQueue.state === 'parked') park(entry, heldBack)
      else keyQueues.add(keyQueue, entry)
    }
    slots.wake()
  }

  function begin(): boolean {
    const keyQueue = lost.signal.aborted ? undefined : keyQueues.next()
    if (keyQueue === undefined) return false
    running++
    void work(keyQueue)
    return true
  }

  async function work(keyQueue: KeyQueue): Promise<void> {
    const entry = keyQueue.queue[0]
    if (entry !== undefined) {
      entry.attempts++
      const outcome = await outcomeOf(entry)
      if (outcome.kind === 'retry') await retryLater(keyQueue, entry, outcome.error)
      else settle(keyQueue, entry, outcome)
    }
    running--
    slots.leave()
  }

  async function outcomeOf(entry: Entry): Promise<Outcome> {
    if (replays.get(entry.seq)?.isDropped) return { kind: 'skip', reason: 'An operator has dropped the message.' }
    try {
      const { value, message } = await bodyOf(entry)
      if (message === undefined) {
        const shown = value?.subarray(0, shownOfUnreadable).toString() ?? ''
        return { kind: 'park', reason: `${unreadable}: ${shown}` }
      }
      return await options.handle({ topic, message, attempt: entry.attempts })
    } catch (error) {
      return { kind: 'retry', error }
    }
  }

  /** Reads the parked bodies one by one, so that a large release needs little memory. */
  async function bodyOf({ seq }: Entry): Promise<Pick<Body, 'value' | 'message'>> {
    const replay = replays.get(seq)
    if (replay === undefined) return bodies.get(seq) ?? { value: null, message: undefined }
    const body = await store.body(replay.id)
    if (body === undefined) return { value: null, message: undefined }
    return { value: body.value, message: decodedRecord(replay.key, body.value, body.headers) }
  }

  /** Meanwhile, other keys can use the slot, unless so many keys pause that single messages cannot be the cause. */
  function retryLater(keyQueue: KeyQueue, entry: Entry, error: unknown): Promise<void> | undefined {
    const after = afterFailure(options.retry, entry, error)
    if ('failures' in after) {
      parkKey(keyQueue, `The message failed ${after.failures} times: ${messageOf(error)}`)
      return undefined
    }
    const mayLeave = slots.pause()
    const paused = timers.sleep(after.pauseMs, lost.signal).then(() => {
      slots.resume()
      if (lost.signal.aborted) return
      keyQueues.release(keyQueue)
      slots.wake()
    })
    return mayLeave ? undefined : paused
  }

  function settle(keyQueue: KeyQueue, entry: Entry, outcome: Exclude<Outcome, { kind: 'retry' }>): void {
    switch (outcome.kind) {
      case 'done':
      case 'skip':
        keyQueue.queue.shift()
        handled(entry)
        keyQueues.release(keyQueue)
        return
      case 'park':
        parkKey(keyQueue, outcome.reason)
        return
      default:
        outcome satisfies never
    }
  }

  function handled({ seq }: Entry): void {
    const replay = replays.get(seq)
    if (replay === undefined) {
      bodies.delete(seq)
      progress.handle(seq)
      options.onHandled()
      return
    }
    // Written even if the partition was lost meanwhile, because the message has been handled.
    void writer.write([{ entry: replay, isHandled: true }]).then(() => {
      replays.delete(seq)
      options.onHandled()
    })
  }

  /** Parks the first message for `reason`, and all later messages of its key. */
  function parkKey(keyQueue: KeyQueue, reason: string): void {
    if (lost.signal.aborted) return
    const what = `A message of ${topic} is parked for the group, and so are all later ones of its key.`
    options.onError(new AssayError('internal', reason), what)
    parkWaiting(keyQueue, reason)
  }

  function parkWaiting(keyQueue: KeyQueue, reason: string): void {
    hold(keyQueue)
    const waiting = keyQueue.queue
    keyQueue.queue = []
    waiting.forEach((entry, index) => {
      park(entry, index === 0 ? reason : heldBack)
    })
  }

  function park(entry: Entry, reason: string): void {
    const replay = replays.get(entry.seq)
    if (replay === undefined) parkNew(entry.seq, reason)
    else
      void writer.writeWhileHeld([{ entry: { ...released(replay, false), reason } }]).then((written) => {
        if (!written) return
        replays.delete(entry.seq)
        options.onHandled()
      })
  }

  function parkNew(offset: number, reason: string): void {
    const found = bodies.get(offset)
    if (found === undefined) return
    const { id, key, value, headers } = found
    const message = messageOfRecord({ topic, partition, offset }, found)
    const place = { group, topic, partition, key, order: nextOrder++ }
    const entry = { id, revision: 0, ...place, reason, isReleased: false, message }
    const body = { value: value ?? Buffer.alloc(0), headers: textsOf(headers) }
    void writer.writeWhileHeld([{ entry, body }]).then((written) => {
      if (!written) return
      bodies.delete(offset)
      progress.handle(offset)
      options.onHandled()
    })
  }

  async function replay(keys: readonly string[]): Promise<void> {
    const asked = keys.flatMap((key) => keyQueues.find(topic, key) ?? []).filter(({ state }) => state === 'parked')
    if (asked.length === 0) return
    // New messages stay in the queues until the released ones are handled.
    for (const keyQueue of asked) keyQueue.state = 'held'
    try {
      await writer.flushed()
      const entries = await store.ofPartition({ group, topic, partition })
      const byKey = Map.groupBy(entries, ({ key }) => key)
      await Promise.all(asked.map((keyQueue) => release(keyQueue, byKey.get(keyQueue.key) ?? [])))
    } catch (error) {
      for (const keyQueue of asked) parkWaiting(keyQueue, heldBack)
      throw error
    }
  }

  async function release(keyQueue: KeyQueue, entries: readonly ParkedEntry[]): Promise<void> {
    // The key was parked again since the released keys were read.
    if (!entries.some(({ isReleased }) => isReleased)) {
      parkWaiting(keyQueue, heldBack)
      return
    }
    const whole = entries.map((entry) => (entry.isReleased ? entry : released(entry, true)))
    const changed = whole.filter((entry, index) => entry !== entries[index])
    if (!(await writer.writeWhileHeld(changed.map((entry) => ({ entry }))))) return
    parkedKeys.delete(keyQueue.key)
    const later = keyQueue.queue
    keyQueue.queue = []
    for (const entry of whole) putBack(entry)
    keyQueue.queue.push(...later)
    keyQueues.release(keyQueue)
    slots.wake()
  }

  return {
    take,
    next: progress.next,
    waiting: () => bodies.size,
    open: () => progress.open() + replays.size,
    handled: progress.handled,
    begin,
    running: () => running,
    hasParked: () => parkedKeys.size > 0,
    replay,
    lose: () => lost.abort(),
  }
}
