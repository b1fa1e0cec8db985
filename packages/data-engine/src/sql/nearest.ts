/** Longer names are not compared: the cost grows with the square of the length. */
const longest = 64

/** How many letters have to be put in, left out or changed to make one name of the other. */
function distance(one: string, other: string): number {
  let above = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let row = 1; row <= one.length; row++) {
    const current = [row]
    for (let column = 1; column <= other.length; column++) {
      const change = one[row - 1] === other[column - 1] ? 0 : 1
      current.push(
        Math.min((above[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, (above[column - 1] ?? 0) + change),
      )
    }
    above = current
  }
  return above[other.length] ?? 0
}

/** The name that was probably meant: two edits away at most, one where it is short; case does not count. */
export function nearest(name: string, names: Iterable<string>): string | undefined {
  const most = name.length < 5 ? 1 : 2
  if (name.length > longest) return undefined
  const wanted = name.toLowerCase()
  let found: string | undefined
  let least = most + 1
  for (const one of names) {
    if (Math.abs(one.length - name.length) > most) continue
    const far = distance(wanted, one.toLowerCase())
    if (far >= least) continue
    found = one
    least = far
  }
  return found
}

/** `; did you mean "…"?` where a name is near, else a full stop. */
export function didYouMean(name: string, names: Iterable<string>): string {
  const near = nearest(name, names)
  return near === undefined ? '.' : `; did you mean "${near}"?`
}
