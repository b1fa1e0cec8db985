const kinds = { container: 'c', table: 't', 'sql-view': 'v' } as const

function kindOf(kind: string | undefined): string {
  return kind === 'container' || kind === 'sql-view' ? kinds[kind] : kinds.table
}

/**
 * Where an asset stands, as one text: that of whatever it lies in is its beginning, and no other's is. Unlike UIDs it tells a
 * dot in a name from a step down, and a folder from a file of the same name. `naturalPath`: kind, assembly, names below it.
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

/** What the places of all begin with that lies below a place. */
export function placesBelow(place: string): string {
  return `${place}"`
}
