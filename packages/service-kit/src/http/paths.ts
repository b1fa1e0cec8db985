/** `/assets/{id}` as express writes it. */
export function expressPath(path: string): string {
  return path.replace(/\{([A-Za-z]+)\}/g, ':$1')
}

/** Literal segments before parameters, segment by segment: `/rules/executions` is tried before `/rules/{identifier}`. */
export function inMatchingOrder<T>(items: readonly T[], pathOf: (item: T) => string): T[] {
  const rank = (path: string) =>
    path
      .split('/')
      .map((segment) => (segment.startsWith('{') ? '1' : '0'))
      .join('')
  return [...items].sort((a, b) => {
    const [left, right] = [rank(pathOf(a)), rank(pathOf(b))]
    return left < right ? -1 : left > right ? 1 : 0
  })
}
