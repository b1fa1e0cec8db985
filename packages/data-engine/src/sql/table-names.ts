/** Characters of a table's name or path. Longer ones are no names of tables. */
export const longestName = 1_024
/** Ends that are looked up of one name. */
const mostEnds = 20

/**
 * A name may be a path below the assembly, with `/` or `.` between its parts: its ends, one of which is the table's own name.
 * `undefined` where it is too long, or has too many parts, to be a table's. Linear in the length of the name.
 */
export function endsOf(name: string): string[] | undefined {
  if (name.length > longestName) return undefined
  const ends = [name]
  for (const { index } of name.matchAll(/[./]/g)) {
    if (ends.length >= mostEnds) return undefined
    ends.push(name.slice(index + 1))
  }
  return ends.filter((end) => end !== '')
}
