/** Maximum characters of a table's name or path. */
export const longestName = 1_024
/** Maximum number of suffixes that are checked for one name. */
const maxEnds = 20

/**
 * The suffixes of a name that may be the table's own name, because a name may be a path below the assembly, with `/` or
 * `.` between its parts. `undefined` if the name is too long for a table, or has too many parts. Takes linear time.
 */
export function endsOf(name: string): string[] | undefined {
  if (name.length > longestName) return undefined
  const ends = [name]
  for (const { index } of name.matchAll(/[./]/g)) {
    if (ends.length >= maxEnds) return undefined
    ends.push(name.slice(index + 1))
  }
  return ends.filter((end) => end !== '')
}
