import type { Timers } from '@assay/service-kit'

const readMs = 15_000

/** A gauge whose value is read periodically. */
export interface PolledGauge {
  /** NaN until the first read, while reads fail, and after `stop`. */
  value(): number
  readNow(): void
  stop(): void
}

/** Reads the value immediately and then every 15 s, one read at a time. */
export function createPolledGauge(
  timers: Pick<Timers, 'every'>,
  /** If it returns `undefined`, the gauge keeps the previous value. */
  read: () => Promise<number | undefined>,
  onError: (error: unknown) => void,
): PolledGauge {
  let last = Number.NaN
  let isReading = false
  let isOver = false

  async function readNow(): Promise<void> {
    if (isReading || isOver) return
    isReading = true
    try {
      last = (await read()) ?? last
    } catch (error) {
      last = Number.NaN
      onError(error)
    } finally {
      isReading = false
    }
  }

  void readNow()
  const timer = timers.every(readMs, () => void readNow())
  return {
    value: () => (isOver ? Number.NaN : last),
    readNow: () => void readNow(),
    stop() {
      isOver = true
      timer.stop()
    },
  }
}
