/** A value that is at hand, or a promise of one. */
export type Now<T> = T | Promise<T>

/** Continues with the value, synchronously if it is at hand. */
export function goOn<T, R>(now: Now<T>, next: (value: T) => R): Now<R> {
  return now instanceof Promise ? now.then(next) : next(now)
}
