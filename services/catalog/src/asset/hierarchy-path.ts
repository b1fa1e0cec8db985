const kinds = { container: 'c', table: 't', 'sql-view': 'v' } as const

function kindOf(kind: string | undefined): string {
  return kind === 'container' || kind === 'sql-view' ? kinds[kind] : kinds.table
}

/**
 * The path of an asset in the hierarchy, as one text. It starts with the paths of its ancestors, and of no other asset.
 * Unlike a UID, it distinguishes a dot in a name from a level, and a folder from a file of the same name. The first
 * argument is a `naturalPath`: kind, assembly, names below it.
 */
export function hierarchyPathOf([kind, ...names]: readonly string[], columnPath: readonly string[] = []): string {
  const own = names.at(-1) ?? ''
  const parts = [
    ...names.slice(0, -1).map((name) => `${kinds.container}:${name}`),
    `${kindOf(kind)}:${own}`,
    ...columnPath.map((name) => `f:${name}`),
  ]
  return `[${parts.map((part) => `${JSON.stringify(part)},`).join('')}`
}

/** The common prefix of the paths of all descendants. */
export function descendantPrefix(hierarchyPath: string): string {
  return `${hierarchyPath}"`
}
