/**
 * The number of edits between two names: a letter inserted, removed or replaced, or two neighbours exchanged; `limit + 1`
 * if it is larger than `limit`. `exchange`: the edits of an exchange; 2 gives the Levenshtein distance. Case-sensitive.
 * Pure.
 */
export function editDistance(one: string, other: string, limit: number, exchange: 1 | 2 = 1): number {
  const tooFar = limit + 1
  if (Math.abs(one.length - other.length) > limit) return tooFar
  let twoAbove: number[] = []
  let above = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row]
    let least = row
    for (let column = 1; column <= other.length; column += 1) {
      const replaced = (above[column - 1] ?? 0) + (one[row - 1] === other[column - 1] ? 0 : 1)
      const isExchanged = row > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      const exchanged = isExchanged ? (twoAbove[column - 2] ?? 0) + exchange : tooFar
      const cost = Math.min(replaced, (above[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, exchanged)
      current.push(cost)
      least = Math.min(least, cost)
    }
    // No exchange comes back from here: the least of the row above is at most one edit smaller.
    if (least > limit) return tooFar
    twoAbove = above
    above = current
  }
  return Math.min(above[other.length] ?? tooFar, tooFar)
}

/** Maximum number of edits that count as a misspelling: two, or one for names of fewer than five letters. */
export const editsOf = (name: string): number => (name.length < 5 ? 1 : 2)

/** The known names within `limit` edits, nearest first. Names at the same distance keep the given order. Pure. */
export function nearNames(
  name: string,
  known: Iterable<string>,
  { limit = editsOf(name), exchange }: { limit?: number; exchange?: 1 | 2 } = {},
): string[] {
  const near: { each: string; distance: number }[] = []
  for (const each of known) {
    const distance = editDistance(name, each, limit, exchange)
    if (distance > 0 && distance <= limit) near.push({ each, distance })
  }
  return near.sort((one, other) => one.distance - other.distance).map(({ each }) => each)
}

/**
 * The existing name, such as a column, that is probably meant. First looks for a name that differs only in case, then
 * allows edits. Pure.
 */
function nearestName(name: string, known: readonly string[]): string | undefined {
  const folded = name.toLowerCase()
  // A name of one letter has no misspellings.
  const limit = Math.min(editsOf(name), name.length - 1)
  return known.find((each) => each.toLowerCase() === folded) ?? nearNames(name, known, { limit })[0]
}

/** The text as a sentence: with a full stop, unless it ends with a suggestion. Pure. */
export const asSentence = (text: string): string => (text.endsWith('?') ? text : `${text}.`)

/** `; did you mean 'amount'?`, to append to a sentence, or an empty text. Pure. */
export function didYouMean(name: string, known: readonly string[]): string {
  const meant = nearestName(name, known)
  return meant === undefined ? '' : `; did you mean '${meant}'?`
}

const lowerCase = [...'abcdefghijklmnopqrstuvwxyz0123456789._- ']
const bothCases = [...lowerCase, ...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']

/**
 * The names of which `name` may be a misspelling: one letter inserted, removed or replaced, or two exchanged. For
 * stores without similarity search. At most 10,000 names; none for a very long name. Pure.
 */
export function spellingsNear(name: string): string[] {
  const letters = name === name.toLowerCase() ? lowerCase : bothCases
  if (name.length * letters.length > 4_500) return []
  const near = new Set([name.toLowerCase()])
  for (let at = 0; at <= name.length; at += 1) {
    const before = name.slice(0, at)
    const [first = '', second = ''] = name.slice(at, at + 2)
    for (const letter of letters) {
      near.add(before + letter + name.slice(at))
      near.add(before + letter + name.slice(at + 1))
    }
    near.add(before + name.slice(at + 1))
    near.add(before + second + first + name.slice(at + 2))
  }
  near.delete(name)
  return [...near]
}
