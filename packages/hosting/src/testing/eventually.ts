/** Polls until `isDone` is true. After ten seconds, throws an error with the last answer. */
export async function eventually<T>(ask: () => T | Promise<T>, isDone: (answer: T) => boolean): Promise<T> {
  const end = performance.now() + 10_000
  for (;;) {
    const answer = await ask()
    if (isDone(answer)) return answer
    if (performance.now() > end)
      throw new Error(`not done after ten seconds; last answer: ${JSON.stringify(answer)?.slice(0, 2000)}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
