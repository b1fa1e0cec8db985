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
export interface Lane {
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
export interface Lanes {
  /** The key's lane, made when there is none. */
  at(topic: string, key: string): Lane
  find(topic: string, key: string): Lane | undefined
  /** Adds to the lane's end and makes it ready if it was idle. */
  add(lane: Lane, entry: Entry): void
  /** The lane whose turn it is, now `busy`; `undefined` when none is ready. */
  next(): Lane | undefined
  /** The lane is `idle`, or `ready` when something waits in it. */
  release(lane: Lane): void
}

export function createLanes(): Lanes {
  const lanes = new Map<string, Lane>()
  let ready: Lane[] = []
  let first = 0
  const nameOf = (topic: string, key: string) => `${topic}\0${key}`

  function release(lane: Lane): void {
    lane.state = lane.queue.length > 0 ? 'ready' : 'idle'
    if (lane.state === 'ready') ready.push(lane)
    else lanes.delete(nameOf(lane.topic, lane.key))
  }

  return {
    at(topic, key) {
      const name = nameOf(topic, key)
      const known = lanes.get(name)
      if (known !== undefined) return known
      const lane: Lane = { topic, key, queue: [], state: 'idle' }
      lanes.set(name, lane)
      return lane
    },
    find: (topic, key) => lanes.get(nameOf(topic, key)),
    add(lane, entry) {
      lane.queue.push(entry)
      if (lane.state === 'idle') release(lane)
    },
    next() {
      const lane = ready[first]
      if (lane === undefined) return undefined
      first++
      if (first > 1000 && first * 2 > ready.length) {
        ready = ready.slice(first)
        first = 0
      }
      lane.state = 'busy'
      return lane
    },
    release,
  }
}
