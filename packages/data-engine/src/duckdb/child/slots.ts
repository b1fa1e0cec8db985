import { isAssayError } from '@assay/service-kit/errors'
import type { DuckDBConnection, DuckDBValue } from '@duckdb/node-api'
import { type Fragment, join, sql } from '../../sql/fragment.ts'
import { readRow } from './database.ts'
import { engineFailure } from './failure.ts'

/** One aggregate of a statement that many share. `risky`: it may fail at a row, for it holds what people wrote or sums up. */
export interface Slot {
  key: string
  aggregate: Fragment
  risky: boolean
}

export type SlotValues = Map<string, { value: DuckDBValue } | { error: unknown }>

/** Errors of the run as a whole: no smaller statement would help. */
function isFatal(error: unknown): boolean {
  return (
    isAssayError(engineFailure(error), 'too-large') ||
    /^(INTERRUPT|IO|Fatal|Internal) Error/i.test(String(error).replace(/^Error: /, ''))
  )
}

async function together(connection: DuckDBConnection, slots: readonly Slot[], from: Fragment): Promise<SlotValues> {
  const columns = join(
    slots.map((slot) => slot.aggregate),
    ', ',
  )
  const values = await readRow(connection, sql`SELECT ${columns}${from}`)
  return new Map(slots.map((slot, index) => [slot.key, { value: values[index] ?? null }]))
}

async function halves(connection: DuckDBConnection, slots: readonly Slot[], from: Fragment): Promise<SlotValues> {
  const middle = slots.length >> 1
  const first = await readSlots(connection, slots.slice(0, middle), from)
  const second = await readSlots(connection, slots.slice(middle), from)
  return new Map([...first, ...second])
}

/**
 * Reads all slots in one scan. Where that fails, those that cannot fail get a scan of their own, and the others are halved until only the
 * guilty ones are left with their errors. Rejects when the source cannot be read, memory ends or the run is interrupted.
 */
export async function readSlots(
  connection: DuckDBConnection,
  slots: readonly Slot[],
  from: Fragment,
): Promise<SlotValues> {
  const [only] = slots
  if (!only) return new Map()
  try {
    return await together(connection, slots, from)
  } catch (error) {
    if (isFatal(error)) throw error
    if (slots.length === 1) return new Map([[only.key, { error }]])
    const safe = slots.filter((slot) => !slot.risky)
    const risky = slots.filter((slot) => slot.risky)
    if (safe.length === 0 || risky.length === 0) return halves(connection, slots, from)
    return new Map([...(await readSlots(connection, safe, from)), ...(await readSlots(connection, risky, from))])
  }
}
