import { documentPut } from '@assay/documents'
import { AssayError } from '@assay/service-kit/errors'
import { z } from 'zod'
import type { Aggregate } from '../decider.ts'

export type LedgerState = { total: number; last: readonly number[]; note?: string | undefined; half?: number }
/** The decision has one event per amount. */
export type LedgerCommand = { amounts: readonly number[] }
export type LedgerEvent = { type: 'Entered'; data: { amount: number; note?: string | undefined; half: number } }

export const ledgers = {
  name: 'ledgers',
  version: 1,
  idType: 'text' as const,
  schema: z.object({
    total: z.number(),
    last: z.array(z.number()).readonly(),
    note: z.string().exactOptional(),
    half: z.number().exactOptional(),
  }),
  fields: {},
}

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const item of Object.values(value)) frozen(item)
  }
  return value
}

/**
 * An aggregate for property tests of states. It refuses negative totals and decides no events for an empty list. Its
 * decisions depend on more than the total. Its events have values that JSON does not preserve: an undefined note and
 * -0. Its states are frozen.
 */
export const ledger: Aggregate<LedgerState, LedgerCommand, LedgerEvent> = {
  category: 'ledger',
  schemaVersion: 1,
  decider: {
    initialState: frozen({ total: 0, last: [] }),
    decide({ amounts }, state) {
      const events = amounts.map((amount): LedgerEvent => {
        const note = state.last.includes(amount) ? undefined : `first of ${amount}`
        return { type: 'Entered', data: { amount, note, half: -amount * 0 } }
      })
      if (state.total + amounts.reduce((sum, amount) => sum + amount, 0) < 0)
        throw new AssayError('unprocessable', 'A ledger cannot go below zero.')
      return events
    },
    evolve: ({ total, last }, { data: { amount, ...rest } }) =>
      frozen({ total: total + amount, last: [...last, amount].slice(-3), ...rest }),
  },
  documents: (state, key, source) => [documentPut(ledgers, key.tenant, key.id, state, source)],
  eventDocuments: () => [],
}

/** The same aggregate, with a document that is the whole state. */
export const wholeLedger: typeof ledger = {
  ...ledger,
  category: 'wholeledger',
  wholeDocument: (documents, { tenant, id }) => documents.get(ledgers, tenant, id),
}
