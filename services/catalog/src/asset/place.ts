const kinds = { container: 'c', table: 't', 'sql-view': 'v' } as const

function kindOf(kind: string | undefined): string {
  return kind === 'container' || kind === 'sql-view' ? kinds[kind] : kinds.table
}

/**
 * The place of an asset as one text, which has the place of its ancestors, and of nothing else, as a prefix. Unlike a
 * UID it distinguishes a dot in a name from a level, and a folder from a file of the same name. `naturalPath`: kind,
 * assembly, names below it.
 */
export function placeOf([kind, ...names]: readonly string[], columnPath: readonly string[] = []): string {
  const own = names.at(-1) ?? ''
  const parts = [
    ...names.slice(0, -1).map((name) => `${kinds.container}:${name}`),
    `${kindOf(kind)}:${own}`,
    ...columnPath.map((name) => `f:${name}`),
  ]
  return `[${parts.map((part) => `${JSON.stringify(part)},`).join('')}`
}

/** The common prefix of all places below a place. */
export function placesBelow(place: string): string {
  return `${place}"`
}
