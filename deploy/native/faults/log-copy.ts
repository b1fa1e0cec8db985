import type { EventStore, LogSlice, RecordedEvent } from '../../../packages/event-store/src/index.ts'

/** A snapshot of the log, for checks that fold all of it. */
export interface LogCopy {
  events: readonly RecordedEvent[]
  store: Pick<EventStore, 'read' | 'readAll'>
  /** Reads the events that were added. */
  follow(): Promise<void>
}

const page = 2000

/** A copy of the events of `categories`. */
export function createLogCopy(store: Pick<EventStore, 'readAll'>, categories: readonly string[]): LogCopy {
  const events: RecordedEvent[] = []
  const streams = new Map<string, RecordedEvent[]>()
  let after: string | undefined

  return {
    events,
    store: {
      async read(stream, { from = 0, limit = Number.POSITIVE_INFINITY } = {}) {
        const all = streams.get(stream) ?? []
        return { events: all.slice(from, from + limit), revision: all.length - 1 }
      },
      async readAll(options): Promise<LogSlice> {
        const wanted = new Set(options?.categories ?? categories)
        const some = events.filter(({ stream }) => wanted.has(/\/([^-]+)-/.exec(stream)?.[1] ?? ''))
        // A reader that continues from the end of the copy gets an empty slice.
        const isFirst = options?.after === undefined
        return { events: isFirst ? some : [], position: after ?? '', atEnd: true }
      },
    },
    async follow() {
      for (;;) {
        const slice = await store.readAll({ categories, after, limit: page })
        for (const event of slice.events) {
          events.push(event)
          const stream = streams.get(event.stream)
          if (stream === undefined) streams.set(event.stream, [event])
          else stream.push(event)
        }
        after = slice.position
        if (slice.atEnd) return
      }
    },
  }
}
