import type { Documents } from '@assay/documents'
import type { Aggregate, AggregateKey, DomainEvent } from './decider.ts'
import { type EventStore, type RecordedEvent, streamName } from './port.ts'
import { advanced, type Start, since, snapshotStart } from './start.ts'
import { createStateCache, type Loaded } from './state-cache.ts'

const defaultMaxBytes = 8 * 1024 * 1024
/** Shorter streams are read from the beginning, longer ones from a document if there is one. */
const shortStream = 64

/** States of streams, with as few reads as possible. Callers must not change them. */
export interface States {
  /** The cached state, without a read: the stream may have newer events. */
  known<State, Command, Event extends DomainEvent>(
    aggregate: Aggregate<State, Command, Event>,
    key: AggregateKey,
  ): Loaded<State> | undefined
  /** Caches a state for `known`. */
  keep<State, Command, Event extends DomainEvent>(
    aggregate: Aggregate<State, Command, Event>,
    key: AggregateKey,
    loaded: Loaded<State>,
  ): void
  /** The current state. For a cached stream, reads only newer events. Throws the errors of `read`. */
  current<State, Command, Event extends DomainEvent>(
    aggregate: Aggregate<State, Command, Event>,
    key: AggregateKey,
  ): Promise<Loaded<State>>
  /**
   * The state after `events`, which are consecutive events of one stream, or after later ones. Reads the stream only if
   * neither the cache nor a document connects to them. Throws the errors of `read`.
   */
  after<State, Command, Event extends DomainEvent>(
    aggregate: Aggregate<State, Command, Event>,
    key: AggregateKey,
    events: readonly RecordedEvent[],
  ): Promise<Loaded<State>>
}

async function startOf<State, Command, Event extends DomainEvent>(
  documents: Pick<Documents, 'get'>,
  aggregate: Aggregate<State, Command, Event>,
  key: AggregateKey,
): Promise<Start<State> | undefined> {
  if (aggregate.wholeDocument === undefined) return snapshotStart(documents, aggregate, key)
  const stored = await aggregate.wholeDocument(documents, key)
  if (stored === undefined) return undefined
  const { revision, position } = stored.source
  return { state: stored.document, revision, position, isMadeBy: (event) => event.position === position }
}

/**
 * Caches the most recently used states (`maxBytes`: createStateCache, default 8 MiB). Other states are loaded from the
 * stream's document or snapshot, or from the beginning if the stream is short or there are no `documents`.
 */
export function createStates(options: {
  store: Pick<EventStore, 'read'>
  documents?: Pick<Documents, 'get'> | undefined
  maxBytes?: number | undefined
}): States {
  const { store, documents, maxBytes = defaultMaxBytes } = options
  const cache = createStateCache(maxBytes)

  async function cold<State, Command, Event extends DomainEvent>(
    aggregate: Aggregate<State, Command, Event>,
    key: AggregateKey,
    stream: string,
  ): Promise<Loaded<State>> {
    const empty = { state: aggregate.decider.initialState, revision: -1, position: undefined }
    const { events, revision } = await store.read(stream, { limit: shortStream })
    if (events.length > revision) return advanced(aggregate, empty, events)
    const start = documents && (await startOf(documents, aggregate, key))
    const started = start && (await since(store, aggregate, stream, start))
    if (started) return started
    const rest = await store.read(stream, { from: events.length })
    return advanced(aggregate, empty, [...events, ...rest.events])
  }

  const streamOf = (aggregate: { category: string }, { tenant, id }: AggregateKey): string =>
    streamName(tenant, aggregate.category, id)

  function kept<State, Command, Event extends DomainEvent>(
    aggregate: Aggregate<State, Command, Event>,
    stream: string,
    loaded: Loaded<State>,
  ): Loaded<State> {
    cache.set(stream, aggregate.decider, loaded)
    return loaded
  }

  async function current<State, Command, Event extends DomainEvent>(
    aggregate: Aggregate<State, Command, Event>,
    key: AggregateKey,
  ): Promise<Loaded<State>> {
    const stream = streamOf(aggregate, key)
    const known = cache.get(stream, aggregate.decider)
    if (known !== undefined && known.revision >= 0) {
      const isMadeBy = ({ position }: RecordedEvent) => position === known.position
      const now = await since(store, aggregate, stream, { ...known, isMadeBy })
      if (now !== undefined) return kept(aggregate, stream, now)
      cache.delete(stream)
    }
    return kept(aggregate, stream, await cold(aggregate, key, stream))
  }

  return {
    known: (aggregate, key) => cache.get(streamOf(aggregate, key), aggregate.decider),
    keep: (aggregate, key, loaded) => cache.set(streamOf(aggregate, key), aggregate.decider, loaded),
    current,
    async after(aggregate, key, events) {
      const stream = streamOf(aggregate, key)
      const first = events.at(0)?.revision ?? 0
      const last = events.at(-1)?.revision ?? -1
      const known = cache.get(stream, aggregate.decider)
      const empty = { state: aggregate.decider.initialState, revision: -1, position: undefined }
      const stored =
        known === undefined && first > 0 && documents ? await startOf(documents, aggregate, key) : undefined
      const start = stored ?? known ?? empty
      const isJoined = start.revision >= first - 1 && last - first < events.length
      const { state, revision, position } = start
      const next = events.filter((event) => event.revision > revision)
      const loaded = isJoined ? advanced(aggregate, { state, revision, position }, next) : undefined
      // A snapshot does not hold the position of its event.
      if (loaded?.position !== undefined) return kept(aggregate, stream, loaded)
      const now = stored && (await since(store, aggregate, stream, stored))
      return now === undefined ? current(aggregate, key) : kept(aggregate, stream, now)
    },
  }
}
