import { documentPut } from '@assay/documents'
import { AssayError } from '@assay/service-kit/errors'
import { z } from 'zod'
import type { Aggregate } from '../decider.ts'

export type CounterState = { total: number }
export type CounterCommand = { add: number }
export type CounterEvent = { type: 'Counted'; data: { by: number } }

export const counters = {
  name: 'counters',
  version: 1,
  idType: 'text' as const,
  schema: z.object({ total: z.number() }),
  fields: { total: { type: 'integer' as const, of: (counter: CounterState) => counter.total } },
}

/** A minimal aggregate: adds, refuses negative totals, and decides no events for zero. */
export const counter: Aggregate<CounterState, CounterCommand, CounterEvent> = {
  category: 'counter',
  schemaVersion: 2,
  decider: {
    initialState: { total: 0 },
    decide({ add }, state) {
      if (state.total + add < 0) throw new AssayError('unprocessable', 'A counter cannot go below zero.')
      return add === 0 ? [] : [{ type: 'Counted', data: { by: add } }]
    },
    evolve: (state, event) => ({ total: state.total + event.data.by }),
  },
  documents: (state, key, source) => [documentPut(counters, key.tenant, key.id, state, source)],
}
