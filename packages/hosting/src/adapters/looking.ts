import type { Timers } from '@assay/service-kit'

const lookMs = 15_000

/** A gauge whose value is read periodically. */
export interface Looked {
  /** NaN until the first read, while reads fail, and after the last one. */
  value(): number
  lookNow(): void
  stop(): void
}

/** Reads the figure at the start and every 15 s, one read at a time. */
export function createLooked(
  timers: Pick<Timers, 'every'>,
  /** `undefined` keeps the previous value. */
  look: () => Promise<number | undefined>,
  onError: (error: unknown) => void,
): Looked {
  let seen = Number.NaN
  let isLooking = false
  let isOver = false

  async function lookNow(): Promise<void> {
    if (isLooking || isOver) return
    isLooking = true
    try {
      seen = (await look()) ?? seen
    } catch (error) {
      seen = Number.NaN
      onError(error)
    } finally {
      isLooking = false
    }
  }

  void lookNow()
  const looks = timers.every(lookMs, () => void lookNow())
  return {
    value: () => (isOver ? Number.NaN : seen),
    lookNow: () => void lookNow(),
    stop() {
      isOver = true
      looks.stop()
    },
  }
}
