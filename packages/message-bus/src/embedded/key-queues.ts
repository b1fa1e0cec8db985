/** A queued message. Its body stays in the log until it is handled, so that a long queue needs little memory. */
export interface Entry {
  seq: number
  /** The message was parked and then released. */
  replay: boolean
  /** The number of attempts so far. */
  attempts: number
  /** The number of attempts that failed with a transient error. */
  transientFailures?: number
}

/** The messages of one key of one topic, in order. */
export interface KeyQueue {
  topic: string
  key: string
  queue: Entry[]
  /**
   * `idle`: nothing to do. `ready`: waits for a free handler. `busy`: its first message is being handled or waits for a
   * retry. `parked`: all new messages are parked. `held`: its parked messages are being released, and new ones wait.
   */
  state: 'idle' | 'ready' | 'busy' | 'parked' | 'held'
}

/** Key queues. At most one message per key is in progress, and keys are served round-robin. */
export interface KeyQueues {
  /** The key's queue, created if there is none. */
  at(topic: string, key: string): KeyQueue
  find(topic: string, key: string): KeyQueue | undefined
  /** Appends the entry to the queue, and makes an idle queue ready. */
  add(keyQueue: KeyQueue, entry: Entry): void
  /** The next ready queue, now `busy`; `undefined` if none is ready. */
  next(): KeyQueue | undefined
  /** The queue becomes `idle`, or `ready` if it has entries. */
  release(keyQueue: KeyQueue): void
}

export function createKeyQueues(): KeyQueues {
  const keyQueues = new Map<string, KeyQueue>()
  let ready: KeyQueue[] = []
  let first = 0
  const nameOf = (topic: string, key: string) => `${topic}\0${key}`

  function release(keyQueue: KeyQueue): void {
    keyQueue.state = keyQueue.queue.length > 0 ? 'ready' : 'idle'
    if (keyQueue.state === 'ready') ready.push(keyQueue)
    else keyQueues.delete(nameOf(keyQueue.topic, keyQueue.key))
  }

  return {
    at(topic, key) {
      const name = nameOf(topic, key)
      const known = keyQueues.get(name)
      if (known !== undefined) return known
      const keyQueue: KeyQueue = { topic, key, queue: [], state: 'idle' }
      keyQueues.set(name, keyQueue)
      return keyQueue
    },
    find: (topic, key) => keyQueues.get(nameOf(topic, key)),
    add(keyQueue, entry) {
      keyQueue.queue.push(entry)
      if (keyQueue.state === 'idle') release(keyQueue)
    },
    next() {
      const keyQueue = ready[first]
      if (keyQueue === undefined) return undefined
      first++
      if (first > 1000 && first * 2 > ready.length) {
        ready = ready.slice(first)
        first = 0
      }
      keyQueue.state = 'busy'
      return keyQueue
    },
    release,
  }
}
