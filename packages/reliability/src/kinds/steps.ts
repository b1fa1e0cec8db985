/** A computation in parts. Between two parts its caller can let other work through. */
export type Steps<T> = Generator<undefined, T>

/** The result of all parts, one after the other without a pause. */
export function allSteps<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
  }
}
