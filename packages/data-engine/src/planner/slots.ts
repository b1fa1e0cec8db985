import { type Fragment, join, sql } from '../sql/fragment.ts'

/** One aggregate of a shared statement. `risky`: it may fail at a row, because it contains users' SQL or a sum. */
export interface Slot {
  key: string
  aggregate: Fragment
  risky: boolean
}

export type SlotValues<V> = Map<string, { value: V | null } | { error: unknown }>

/** Runs statements. */
export interface SlotReader<V> {
  /** The single row of a statement. */
  readRow(statement: Fragment): Promise<readonly (V | null | undefined)[]>
  /** Whether an error concerns the whole run, so that a smaller statement would not help. */
  isFatal(error: unknown): boolean
}

async function together<V>(reader: SlotReader<V>, slots: readonly Slot[], from: Fragment): Promise<SlotValues<V>> {
  const columns = join(
    slots.map((slot) => slot.aggregate),
    ', ',
  )
  const values = await reader.readRow(sql`SELECT ${columns}${from}`)
  return new Map(slots.map((slot, index) => [slot.key, { value: values[index] ?? null }]))
}

async function halves<V>(reader: SlotReader<V>, slots: readonly Slot[], from: Fragment): Promise<SlotValues<V>> {
  const middle = slots.length >> 1
  const first = await readSlots(reader, slots.slice(0, middle), from)
  const second = await readSlots(reader, slots.slice(middle), from)
  return new Map([...first, ...second])
}

/**
 * Reads all slots in one scan. If that fails, the slots that cannot fail get their own scan. The other slots are halved
 * repeatedly, until each failing slot has its own error. Rejects if the source cannot be read, memory is exhausted or
 * the run is interrupted.
 */
export async function readSlots<V>(
  reader: SlotReader<V>,
  slots: readonly Slot[],
  from: Fragment,
): Promise<SlotValues<V>> {
  const [only] = slots
  if (!only) return new Map()
  try {
    return await together(reader, slots, from)
  } catch (error) {
    if (reader.isFatal(error)) throw error
    if (slots.length === 1) return new Map([[only.key, { error }]])
    const safe = slots.filter((slot) => !slot.risky)
    const risky = slots.filter((slot) => slot.risky)
    if (safe.length === 0 || risky.length === 0) return halves(reader, slots, from)
    return new Map([...(await readSlots(reader, safe, from)), ...(await readSlots(reader, risky, from))])
  }
}
