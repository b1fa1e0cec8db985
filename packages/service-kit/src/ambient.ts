/**
 * Time, ids and timers are passed in, so that runs can be repeated exactly. Only `main.ts` files create the real ones.
 */
export interface Clock {
  /** Now, in epoch milliseconds. */
  now(): number
}

/** A new UUID (version 7: sortable by time). */
export type NewId = () => string

/** Abortable timers. `sleep` resolves early, without an error, when `signal` aborts. */
export interface Timers {
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>
  every(milliseconds: number, work: () => void): { stop(): void }
}

/** Timers that also know the seconds of the clock. */
export interface SecondTimers extends Timers {
  /** Calls `work` at the beginning of each second, unless the last call has not ended yet. */
  everySecond(work: () => Promise<void>): { stop(): void }
}

/** ISO 8601 UTC text with milliseconds, the form of every time in events and records. */
export function isoTime(epochMilliseconds: number): string {
  return new Date(epochMilliseconds).toISOString()
}
