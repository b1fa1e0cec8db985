import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ExpectedRevision, NewEvent } from '../port.ts'
import { outcomeOf } from './append.features.ts'
import type { StoreHandle } from './event-store.features.ts'
import { freshStream, newEvents } from './new-events.ts'

const step = fc.record({
  stream: fc.constantFrom('a', 'b', 'c'),
  count: fc.integer({ min: 1, max: 3 }),
  /** A number is an offset from the last revision. */
  expected: fc.oneof(
    fc.constantFrom('none' as const, 'any' as const, 'exists' as const),
    fc.integer({ min: -2, max: 2 }),
  ),
  /** Repeats the last append of the stream instead of appending new events. */
  again: fc.boolean(),
})
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

interface Sent {
  events: NewEvent[]
  expected: ExpectedRevision
}

/** Whether the port allows these ids to be appended to a stream. */
function allowed(ids: readonly string[], expected: ExpectedRevision): boolean {
  if (expected === 'any') return true
  if (expected === 'none') return ids.length === 0
  return expected === 'exists' ? ids.length > 0 : expected === ids.length - 1
}

export function modelFeatures(handle: StoreHandle): void {
  async function run(steps: readonly Step[]): Promise<void> {
    const { category, other } = freshStream()
    const model = new Map<string, string[]>()
    const sent = new Map<string, Sent>()
    const log: string[] = []
    const { position: start } = await handle.store().append(freshStream().stream, newEvents(1), 'none')
    for (const { stream, count, expected, again } of steps) {
      const ids = model.get(stream) ?? []
      const before = again ? sent.get(stream) : undefined
      const distance = typeof expected === 'number' ? Math.max(ids.length - 1 + expected, 0) : expected
      const append = before ?? { events: newEvents(count), expected: distance }
      const ok = before !== undefined || allowed(ids, append.expected)
      const outcome = await outcomeOf(handle.store().append(other(stream), append.events, append.expected))
      expect(outcome).toBe(ok ? 'appended' : 'conflict')
      if (!ok || before !== undefined) continue
      const added = append.events.map((event) => event.id)
      model.set(stream, [...ids, ...added])
      sent.set(stream, append)
      log.push(...added)
    }
    for (const [stream, ids] of model) {
      const { events } = await handle.store().read(other(stream))
      expect(events.map((event) => event.id)).toEqual(ids)
    }
    const { events } = await handle.store().readAll({ categories: [category], after: start, limit: 1000 })
    expect(events.map((event) => event.id)).toEqual(log)
  }

  describe('against a model', () => {
    it('law: any sequence of appends has the same results as a list in memory', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 20 }), (steps) => run(steps)),
        { numRuns: 25 },
      )
    })
  })
}
