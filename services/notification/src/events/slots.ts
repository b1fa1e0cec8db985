import { AssayError } from '@assay/service-kit/errors'

/** One of the places for open streams of a key. */
export interface Slot {
  /** No more events follow. The last ones wait for the reader until the key needs the slot; then `drop` is called. */
  end(drop: () => void): void
  /** The stream is closed. */
  free(): void
}

/** `maxOfKey`: maximum number of streams per key. */
export function createSlots(maxOfKey: number): {
  /** Throws `rate-limited` if all slots of the key have streams that have not ended. */
  take(key: string): Slot
} {
  const taken = new Map<string, Set<{ drop?: () => void }>>()
  return {
    take(key) {
      const slots = taken.get(key) ?? new Set()
      if (slots.size >= maxOfKey) {
        const ended = [...slots].find(({ drop }) => drop !== undefined)
        if (ended === undefined)
          throw new AssayError(
            'rate-limited',
            `This key has ${maxOfKey} open streams of events already. Close one of them.`,
          )
        slots.delete(ended)
        ended.drop?.()
      }
      const slot: { drop?: () => void } = {}
      taken.set(key, slots.add(slot))
      return {
        end(drop) {
          slot.drop = drop
        },
        free() {
          slots.delete(slot)
          if (slots.size === 0 && taken.get(key) === slots) taken.delete(key)
        },
      }
    },
  }
}
