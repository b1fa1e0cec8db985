import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Aggregate, fold } from './decider.ts'
import { comparePositions, parseStreamName, streamName } from './port.ts'
import { holdMilliseconds, reservationDecider } from './reservation.ts'
import { positionText, rowidOf } from './sqlite/positions.ts'

describe('given positions as text', () => {
  it('law: the order of the texts is the order of the log, and each parses to its row', () => {
    const rowid = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER })
    fc.assert(
      fc.property(rowid, rowid, (a, b) => {
        expect(Math.sign(comparePositions(positionText(a), positionText(b)))).toBe(Math.sign(a - b))
        expect([positionText(a).length, rowidOf(positionText(a))]).toEqual([20, a])
      }),
    )
  })
})

describe('given stream names', () => {
  it('law: a name is parsed into its parts', () => {
    const tenant = fc.string({ minLength: 1, unit: 'grapheme' }).filter((text) => !text.includes('/'))
    const category = fc.string({ minLength: 1, unit: 'grapheme' }).filter((text) => !text.includes('-'))
    const id = fc.string({ minLength: 1, unit: 'grapheme' })
    fc.assert(
      fc.property(tenant, category, id, (...parts) => {
        const [tenant, category, id] = parts
        expect(parseStreamName(streamName(...parts))).toEqual({ tenant, category, id })
      }),
    )
  })
})

describe('given any sequence of holds, confirmations and releases of one name', () => {
  const step = fc.record({
    kind: fc.constantFrom('hold' as const, 'confirm' as const, 'release' as const),
    owner: fc.constantFrom('a', 'b', 'c'),
    wait: fc.integer({ min: 0, max: holdMilliseconds }),
  })

  it('law: a confirmed name changes its owner only after that owner has released it', () => {
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        let state = reservationDecider.initialState
        let now = 0
        for (const { kind, owner, wait } of steps) {
          now += wait
          const before = state
          try {
            const events = reservationDecider.decide({ kind, scope: 's', name: 'n', owner, now }, state)
            state = events.reduce(reservationDecider.evolve, state)
          } catch (error) {
            expect(error).toMatchObject({ code: 'taken' })
          }
          if (before.status !== 'confirmed') continue
          const released = kind === 'release' && owner === before.owner
          expect(state).toEqual(released ? { status: 'free' } : before)
        }
      }),
    )
  })
})

describe('given events of a type that a later version wrote', () => {
  it('then a fold skips them', () => {
    type Counted = { type: 'Counted'; data: { by: number } } | { type: 'Cleared'; data: { by: number } }
    const evolve = (state: { sum: number }, event: Counted) => {
      switch (event.type) {
        case 'Counted':
          return { sum: state.sum + event.data.by }
        case 'Cleared':
          return { sum: 0 }
        default:
          return event satisfies never
      }
    }
    const aggregate: Aggregate<{ sum: number }, never, Counted> = {
      ...{ category: 'counter', schemaVersion: 1, documents: () => [] },
      decider: { initialState: { sum: 0 }, decide: () => [], evolve },
    }
    const metadata = { tenant: 't', actor: 'a', schemaVersion: 1, occurredAt: '' }
    const recorded = (type: string, revision: number) => ({
      ...{ id: String(revision), type, data: { by: 2 }, metadata, stream: 't/counter-1', revision },
      ...{ position: String(revision), recordedAt: '' },
    })
    const events = ['Counted', 'CountedTwice', 'Counted'].map(recorded)
    expect(fold(aggregate, { sum: 0 }, events)).toEqual({ sum: 4 })
  })
})
