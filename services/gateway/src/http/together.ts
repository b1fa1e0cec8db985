/**
 * One run of `work` for each key at a time. Whoever asks while one is under way shares the next, which begins after that one
 * has ended: what was true when it was asked is seen by it.
 */
export function createTogether<T>(work: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const underWay = new Map<string, Promise<void>>()
  const next = new Map<string, Promise<T>>()

  function begin(key: string): Promise<T> {
    const run = work(key)
    const end = () => {
      if (underWay.get(key) === over) underWay.delete(key)
    }
    const over: Promise<void> = run.then(end, end)
    underWay.set(key, over)
    return run
  }

  return (key) => {
    const current = underWay.get(key)
    if (current === undefined) return begin(key)
    const known = next.get(key)
    if (known !== undefined) return known
    const following = current.then(() => {
      next.delete(key)
      return begin(key)
    })
    next.set(key, following)
    return following
  }
}
