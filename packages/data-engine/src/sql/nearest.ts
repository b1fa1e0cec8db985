import { nearNames } from '@assay/contracts/nearest-name'

/** Maximum length of a compared name, because the cost grows with the square of the length. */
const longest = 64

/** The most similar name, ignoring case. */
export function nearest(name: string, names: Iterable<string>): string | undefined {
  if (name.length > longest) return undefined
  const wanted = name.toLowerCase()
  const known = new Map([...names].map((one) => [one.toLowerCase(), one]))
  return known.get(wanted) ?? known.get(nearNames(wanted, known.keys())[0] ?? '')
}

/** `; did you mean "…"?` if there is a similar name, else a full stop. */
export function didYouMean(name: string, names: Iterable<string>): string {
  const near = nearest(name, names)
  return near === undefined ? '.' : `; did you mean "${near}"?`
}
