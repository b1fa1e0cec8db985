/** A computation in parts. Between two parts, its caller can let other work run. */
export type Steps<T> = Generator<undefined, T>

/** Runs all parts without a pause, and returns the result. */
export function allSteps<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
  }
}
