/** A path as text. It is a prefix of the paths below it, and of no others. */
export function hierarchyPathOf(path: readonly string[]): string {
  return path.map((name) => `${JSON.stringify(name)},`).join('')
}
