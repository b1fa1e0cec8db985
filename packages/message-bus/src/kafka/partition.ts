import type { Timers } from '@assay/service-kit'
import { AssayError, messageOf } from '@assay/service-kit/errors'
import type { IHeaders, KafkaMessage } from 'kafkajs'
import { createKeyQueues, type Entry, type KeyQueue } from '../embedded/key-queues.ts'
import type { Delivery, Message, Outcome } from '../port.ts'
import { afterFailure, type Retry } from '../retry.ts'
import type { Handled } from './handled.ts'
import { entryRecord, handledRecord, type Journal, type ParkedEntry, replayRecord } from './journal.ts'
import type { JournalWriter } from './journal-writer.ts'
import { createProgress } from './progress.ts'
import { decodedRecord, keyOf } from './record.ts'
import type { Slots } from './slots.ts'

/** An assigned partition: its messages in queues by key, handled and parked ones. */
export interface Partition {
  /** Accepts fetched messages and skips known ones. */
  take(records: readonly KafkaMessage[]): void
  /** The next offset to accept. */
  next(): number
  /** Messages that wait or are being handled. */
  waiting(): number
  /** Accepted messages that are not handled, and released ones that are not handled yet. */
  open(): number
  handled(): Handled
  /** Starts one message, if one is ready. */
  begin(): boolean
  running(): number
  hasParked(): boolean
  /** Releases the parked messages of a key, before those that wait. Answers how many. */
  replay(key: string): Promise<number>
  /** A replay that is obsolete, or that this process did not know of. */
  replayAsked(key: string): Promise<void>
  /** Starts and parks nothing more. */
  lose(): void
}

interface Body {
  key: string
  value: Buffer | null
  headers: IHeaders | undefined
  message: Message | undefined
}

const heldBack = 'An earlier message of the same key is parked.'
const unreadable = 'It is not in the form of a message.'

/** The state of the keys in a journal, with an interrupted replay or parking completed. */
function wholeEntries(journal: Journal): ParkedEntry[] {
  const stateOfKey = new Map<string, ParkedEntry['state']>()
  const sorted = [...journal.entries.values()].sort((a, b) => a.offset - b.offset)
  for (const { key, state } of sorted)
    if (!stateOfKey.has(key)) stateOfKey.set(key, journal.replays.has(key) ? 'back' : state)
  return sorted.map((entry) => ({ ...entry, state: stateOfKey.get(entry.key) ?? entry.state }))
}

export function createPartition(options: {
  topic: string
  partition: number
  handled: Handled
  journal: Journal
  writer: JournalWriter
  readJournal: () => Promise<Journal>
  handle: (delivery: Delivery) => Promise<Outcome>
  retry: Retry
  timers: Timers
  slots: Slots
  onError: (error: unknown, about: string) => void
  /** Something was handled: commit it soon. */
  onHandled: () => void
}): Partition {
  const { topic, partition, writer, slots, timers } = options
  const keyQueues = createKeyQueues()
  const bodies = new Map<number, Body>()
  const parked = new Map<string, Set<number>>()
  const replays = new Set<number>()
  const lost = new AbortController()
  let running = 0

  const entries = wholeEntries(options.journal)
  const progress = createProgress(options.handled)
  for (const entry of entries) {
    const before = options.journal.entries.get(entry.offset)
    if (before?.state !== entry.state || options.journal.replays.has(entry.key))
      void writer.writeWhileHeld([entryRecord(partition, entry)])
    if (entry.state === 'back') putBack(entry)
    else {
      addParked(entry.key, entry.offset)
      keyQueues.at(topic, entry.key).state = 'parked'
    }
  }
  for (const key of options.journal.replays) void writer.writeWhileHeld([replayRecord(partition, key, true)])

  function addParked(key: string, offset: number): void {
    const offsets = parked.get(key) ?? new Set()
    parked.set(key, offsets.add(offset))
  }

  function putBack(entry: ParkedEntry): void {
    const { key, value, headers, offset } = entry
    replays.add(offset)
    bodies.set(offset, { key, value, headers, message: decodedRecord(key, value, headers) })
    keyQueues.add(keyQueues.at(topic, key), { seq: offset, replay: true, attempts: 0 })
  }

  function take(records: readonly KafkaMessage[]): void {
    for (const record of records) {
      const offset = Number(record.offset)
      if (!progress.load(offset)) continue
      const key = keyOf(record)
      const { value, headers } = record
      bodies.set(offset, { key, value, headers, message: decodedRecord(key, value, headers) })
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
    const message = bodies.get(entry.seq)?.message
    if (message === undefined) return { kind: 'park', reason: unreadable }
    try {
      return await options.handle({ topic, message, attempt: entry.attempts })
    } catch (error) {
      return { kind: 'retry', error }
    }
  }

  /** The slot is free for other keys meanwhile, unless so many keys pause that the fault is not in single messages. */
  function retryLater(keyQueue: KeyQueue, entry: Entry, error: unknown): Promise<void> | undefined {
    const after = afterFailure(options.retry, entry, error)
    if ('failures' in after) {
      parkKey(keyQueue, `It failed ${after.failures} times: ${messageOf(error)}`)
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

  function handled(entry: Entry): void {
    const { seq } = entry
    bodies.delete(seq)
    if (entry.replay) {
      // Even if the partition was lost meanwhile: it was handled, whoever has it now.
      void writer.write([handledRecord(partition, seq)]).then(() => {
        replays.delete(seq)
        options.onHandled()
      })
    } else {
      progress.handle(seq)
      options.onHandled()
    }
  }

  /** Parks the first message for `reason` and all after it. */
  function parkKey(keyQueue: KeyQueue, reason: string): void {
    if (lost.signal.aborted) return
    keyQueue.state = 'parked'
    const waiting = keyQueue.queue
    keyQueue.queue = []
    const what = `A message of ${topic} to the group is parked, and all later ones of its key.`
    options.onError(new AssayError('internal', reason), what)
    waiting.forEach((entry, index) => {
      park(entry, index === 0 ? reason : heldBack)
    })
  }

  function park({ seq, replay }: Entry, reason: string): void {
    const body = bodies.get(seq)
    if (body === undefined) return
    const { key, value, headers } = body
    const entry = { offset: seq, key, state: 'parked', reason, value, headers } as const
    void writer.writeWhileHeld([entryRecord(partition, entry)]).then((written) => {
      if (!written) return
      bodies.delete(seq)
      addParked(key, seq)
      if (replay) replays.delete(seq)
      else progress.handle(seq)
      options.onHandled()
    })
  }

  async function replay(key: string): Promise<number> {
    const keyQueue = keyQueues.find(topic, key)
    if (keyQueue?.state !== 'parked') return 0
    // New messages wait in the queue: they belong after the released ones.
    keyQueue.state = 'held'
    try {
      await writer.flushed()
      const offsets = parked.get(key) ?? new Set()
      const journal = await options.readJournal()
      const back = [...journal.entries.values()]
        .filter(({ offset }) => offsets.has(offset))
        .sort((a, b) => a.offset - b.offset)
        .map((entry) => ({ ...entry, state: 'back' as const }))
      const records = back.map((entry) => entryRecord(partition, entry))
      await writer.writeNow([...records, replayRecord(partition, key, true)])
      parked.delete(key)
      const behind = keyQueue.queue
      keyQueue.queue = []
      for (const entry of back) putBack(entry)
      keyQueue.queue.push(...behind)
      keyQueues.release(keyQueue)
      slots.wake()
      return back.length
    } catch (error) {
      parkKey(keyQueue, heldBack)
      throw error
    }
  }

  return {
    take,
    next: progress.next,
    waiting: () => bodies.size,
    open: () => progress.open() + replays.size,
    handled: progress.handled,
    begin,
    running: () => running,
    hasParked: () => parked.size > 0,
    replay,
    async replayAsked(key) {
      if ((await replay(key)) === 0) await writer.writeNow([replayRecord(partition, key, true)])
    },
    lose: () => lost.abort(),
  }
}
