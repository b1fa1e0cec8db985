import type { Documents } from '@assay/documents'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Aggregate } from './decider.ts'
import type { RecordedEvent, StreamSlice } from './port.ts'
import { createStatesAround } from './states-around.ts'

type Counted = { type: 'Counted'; data: { revision: number } }

/** An aggregate whose state is the list of the revisions of its events. */
const counting: Aggregate<readonly number[], never, Counted> = {
  category: 'count',
  schemaVersion: 1,
  decider: {
    initialState: [],
    decide: () => [],
    evolve: (state, { data }) => [...state, data.revision],
  },
  documents: () => [],
}

function recorded(stream: string, revision: number): RecordedEvent {
  const recordedAt = '2026-01-01T00:00:00.000Z'
  const metadata = { tenant: 'a-tenant', actor: 'someone', schemaVersion: 1, occurredAt: recordedAt }
  const about = { id: `${stream}-${revision}`, stream, revision, position: `P:${revision}`, recordedAt, metadata }
  return { ...about, type: 'Counted', data: { revision } }
}

const length = 6

interface ReadOptions {
  from?: number
  limit?: number
}

/** The revisions before this one. */
const upTo = (revision: number) => Array.from({ length: revision }, (_, index) => index)

/** Streams of six events each, with a counter of their reads. */
function streams() {
  let reads = 0
  return {
    reads: () => reads,
    async read(stream: string, { from = 0, limit = length }: ReadOptions = {}): Promise<StreamSlice> {
      reads += 1
      await new Promise((resolve) => setImmediate(resolve))
      const revisions = upTo(length).slice(from, from + limit)
      return { events: revisions.map((revision) => recorded(stream, revision)), revision: length - 1 }
    },
  }
}

describe('the states around an event', () => {
  it('given events of several streams in any order, concurrent or not, then each gets the states around it', async () => {
    const asked = fc.record({
      stream: fc.constantFrom('a', 'b'),
      revision: fc.nat(length - 1),
      isAwaited: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(asked), fc.constantFrom(0, 300, 10_000), async (calls, maxBytes) => {
        const around = createStatesAround({ store: streams(), maxBytes })
        const answers: Promise<void>[] = []
        for (const { stream, revision, isAwaited } of calls) {
          const answer = around(counting, recorded(stream, revision)).then((states) =>
            expect(states).toEqual({ before: upTo(revision), after: upTo(revision + 1) }),
          )
          answers.push(answer)
          if (isAwaited) await answer
        }
        await Promise.all(answers)
      }),
      { numRuns: 100 },
    )
  })

  it('given concurrent calls for the events of a stream in order, then nothing is read', async () => {
    const store = streams()
    const around = createStatesAround({ store })
    await Promise.all(upTo(length).map((revision) => around(counting, recorded('a', revision))))
    expect(store.reads()).toBe(0)
  })

  it('given a start in the middle of a stream, then the stream is read once', async () => {
    const store = streams()
    const around = createStatesAround({ store })
    for (const revision of [3, 4, 5]) await around(counting, recorded('a', revision))
    expect(store.reads()).toBe(1)
  })

  it('given a long stream with a snapshot, then it is read from the snapshot on, unless the log has another event at that revision', async () => {
    const stream = 't/count-1'
    const long = 2_000
    for (const [eventId, mostRead] of [
      [`${stream}-1499`, 503],
      ['of another log', long + 503],
    ] as const) {
      let read = 0
      const store = {
        async read(_: string, { from = 0, limit = long }: ReadOptions = {}): Promise<StreamSlice> {
          const revisions = upTo(long).slice(from, from + limit)
          read += revisions.length
          return { events: revisions.map((revision) => recorded(stream, revision)), revision: long - 1 }
        },
      }
      const snapshot = { schemaVersion: 1, eventId, state: upTo(1_500) }
      const documents: Pick<Documents, 'get'> = {
        get: async (collection, _tenant, id) => {
          const document = collection.schema.parse(snapshot)
          return { id, document, source: { revision: 1_499, position: '' } }
        },
      }
      const around = createStatesAround({ store, documents })
      expect((await around(counting, recorded(stream, long - 1))).after).toEqual(upTo(long))
      expect(read).toBeLessThanOrEqual(mostRead + 2)
    }
  })

  it('given a read that fails, then its call fails, and the next one succeeds', async () => {
    const store = streams()
    let isDown = true
    const read = async (stream: string, options?: ReadOptions) => {
      if (isDown) throw new Error('down')
      return store.read(stream, options)
    }
    const around = createStatesAround({ store: { read } })
    await expect(around(counting, recorded('a', 3))).rejects.toThrow('down')
    isDown = false
    expect((await around(counting, recorded('a', 4))).before).toEqual(upTo(4))
  })
})
