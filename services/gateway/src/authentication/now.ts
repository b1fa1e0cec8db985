/** What is there, or what a store has to be asked for. */
export type Now<T> = T | Promise<T>

/** Goes on with it: at once where it is there. */
export function goOn<T, R>(now: Now<T>, next: (value: T) => R): Now<R> {
  return now instanceof Promise ? now.then(next) : next(now)
}
