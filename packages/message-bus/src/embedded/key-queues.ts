/** A message that waits for its turn. Its body stays in the log until then, so that a long queue costs little memory. */
export interface Entry {
  seq: number
  /** It had been parked and was put back. */
  replay: boolean
  /** Tries so far. */
  attempts: number
  /** Those of them that failed by trouble of the surroundings. */
  passing?: number
}

/** The messages of one key of one topic, in order. */
export interface KeyQueue {
  topic: string
  key: string
  queue: Entry[]
  /**
   * `idle`: nothing to do. `ready`: waits for a free handler. `busy`: its first message is being handled or waits to be
   * tried again. `parked`: all that comes is parked. `held`: being put back; all that comes waits.
   */
  state: 'idle' | 'ready' | 'busy' | 'parked' | 'held'
}

/** Who may go next: each key has one message in work at most, and the keys take turns. */
export interface KeyQueues {
  /** The key's lane, made when there is none. */
  at(topic: string, key: string): KeyQueue
  find(topic: string, key: string): KeyQueue | undefined
  /** Adds to the lane's end and makes it ready if it was idle. */
  add(keyQueue: KeyQueue, entry: Entry): void
  /** The lane whose turn it is, now `busy`; `undefined` when none is ready. */
  next(): KeyQueue | undefined
  /** The lane is `idle`, or `ready` when something waits in it. */
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
