/** A path as one text, with which the paths of all begin that lies below it, and no others. */
export function placeOf(path: readonly string[]): string {
  return path.map((name) => `${JSON.stringify(name)},`).join('')
}
