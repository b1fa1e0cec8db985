import { createJsonSizes } from './json.ts'
import type { Position } from './port.ts'

export interface Loaded<State> {
  state: State
  /** Revision of the stream's last event, -1 if there is none. */
  revision: number
  /** Position of the stream's last event. */
  position: Position | undefined
}

/** Size of an entry in addition to its state. */
const entryBytes = 256

interface Entry {
  /** The decider that produced the state: two aggregates may read one stream. */
  decider: object
  loaded: Loaded<unknown>
  bytes: number
}

/** The most recently used states, by stream. Callers must not change them. */
export interface StateCache {
  get<State>(stream: string, decider: { initialState: State }): Loaded<State> | undefined
  /** Caches `loaded` unless a later state is cached. */
  set<State>(stream: string, decider: { initialState: State }, loaded: Loaded<State>): void
  delete(stream: string): void
}

/**
 * LRU cache of at most `maxBytes`, measured as the length of the states as JSON. In memory they take two or three times
 * as much.
 */
export function createStateCache(maxBytes: number): StateCache {
  const entries = new Map<string, Entry>()
  const sizeOf = createJsonSizes()
  let total = 0

  function remove(stream: string): void {
    total -= entries.get(stream)?.bytes ?? 0
    entries.delete(stream)
  }

  function isOf<State>(entry: Entry, decider: { initialState: State }): entry is Entry & { loaded: Loaded<State> } {
    return entry.decider === decider
  }

  return {
    get(stream, decider) {
      const entry = entries.get(stream)
      if (entry === undefined || !isOf(entry, decider)) return undefined
      entries.delete(stream)
      entries.set(stream, entry)
      return entry.loaded
    },
    set(stream, decider, loaded) {
      const before = entries.get(stream)
      if (before?.decider === decider && before.loaded.revision > loaded.revision) return
      remove(stream)
      const bytes = entryBytes + 2 * stream.length + sizeOf(loaded.state)
      if (bytes > maxBytes) return
      entries.set(stream, { decider, loaded, bytes })
      total += bytes
      for (const oldest of entries.keys()) {
        if (total <= maxBytes) break
        remove(oldest)
      }
    },
    delete: remove,
  }
}
