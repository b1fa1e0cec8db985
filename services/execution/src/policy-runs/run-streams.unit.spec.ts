import { createCommandHandler } from '@assay/event-store'
import { AssayError } from '@assay/service-kit/errors'
import { describe, expect, it } from 'vitest'
import { noRuns, type PolicyRuns } from './policy-runs.ts'
import { createRunStreams } from './run-streams.ts'

describe('given the document of a policy on which no run is open, at revision 5', () => {
  it('when another run is opened just behind the read, then this one is decided anew, and refused', async () => {
    const expected: unknown[] = []
    let reads = 0
    const at = '2026-11-20T10:00:00.000Z'
    const opened = {
      id: 'e6',
      type: 'RunOpened',
      data: { executionId: 7, at },
      metadata: { tenant: 't', actor: 'ann', schemaVersion: 1, occurredAt: at },
      stream: 't/policyruns-1',
      revision: 6,
      position: '6',
      recordedAt: at,
    }
    const commands = createCommandHandler({
      store: {
        async read() {
          reads += 1
          // The event came between the look for events and the look for the last revision.
          return { events: reads === 1 ? [] : [opened], revision: 6 }
        },
      },
      async commit(append) {
        expected.push(append.expected)
        if (append.expected !== 6) throw new AssayError('conflict', 'The stream is further.')
        return { revision: 7, position: '7' }
      },
      documents: {
        async get<T>() {
          const document: PolicyRuns = noRuns
          // The only collection that is asked for.
          return { id: 1, document: document as T, source: { revision: 5, position: '5' } }
        },
      },
      clock: { now: () => Date.parse(at) },
      newId: () => 'id',
    })
    const streams = createRunStreams(commands)
    const opening = streams.handle('t', 1, { type: 'OpenRun', executionId: 8, at }, { actor: 'ann' })
    await expect(opening).rejects.toMatchObject({ code: 'unprocessable' })
    expect(expected).toEqual([5])
  })
})
