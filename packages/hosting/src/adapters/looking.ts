import type { Timers } from '@assay/service-kit'

const lookMs = 15_000

/** A figure that is looked up now and then, for a gauge. */
export interface Looked {
  /** NaN until the first look, while looks fail, and once they have stopped. */
  value(): number
  lookNow(): void
  stop(): void
}

/** Looks the figure up every 15 s, one look at a time, and once at the beginning. */
export function createLooked(
  timers: Pick<Timers, 'every'>,
  /** `undefined`: the figure stays as it is. */
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
