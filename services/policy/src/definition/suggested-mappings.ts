import type { SuggestedMapping } from '@assay/contracts'
import { canBeEqual, type LogicalType, parseType } from '@assay/data-engine'

interface Column {
  name: string
  dataType: string
}

/** A column, prepared for pairing. */
interface ReadColumn {
  name: string
  type: LogicalType
  letters: string
  /** The suffixes of the name that begin with a word, as letters; the longest is the whole name. */
  ends: readonly string[]
}

/** Maximum number of mappings of a policy. */
const maxMappings = 1000
/** Maximum number of words of a name that are compared: its last ones. */
const maxWords = 8

/** The letters and digits of a name, in lower case. */
const lettersOf = (name: string) => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')

/** The words of a name. A word begins after a sign or a blank, and at a capital letter after a small one. */
const wordsOf = (name: string) =>
  name
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')

function readColumn({ name, dataType }: Column): ReadColumn {
  const words = wordsOf(name).slice(-maxWords)
  const ends = words.map((_, index) => lettersOf(words.slice(index).join('')))
  return { name, type: parseType(dataType), letters: lettersOf(name), ends }
}

/** From the strictest to the loosest: the same name, the same letters, one name a suffix of the other. */
const likenesses: readonly ((columns: readonly ReadColumn[]) => (one: ReadColumn) => readonly ReadColumn[])[] = [
  (columns) => {
    const byName = grouped(columns, ({ name }) => [name])
    return ({ name }) => byName.get(name) ?? []
  },
  (columns) => {
    const byLetters = grouped(columns, ({ letters }) => [letters])
    return ({ letters }) => byLetters.get(letters) ?? []
  },
  (columns) => {
    const [byLetters, byEnd] = [grouped(columns, ({ letters }) => [letters]), grouped(columns, ({ ends }) => ends)]
    return ({ letters, ends }) =>
      letters === ''
        ? []
        : [...new Set([...(byEnd.get(letters) ?? []), ...ends.flatMap((end) => byLetters.get(end) ?? [])])]
  },
]

function grouped(columns: readonly ReadColumn[], keysOf: (column: ReadColumn) => readonly string[]) {
  const groups = new Map<string, ReadColumn[]>()
  for (const column of columns)
    for (const key of new Set(keysOf(column))) {
      const group = groups.get(key)
      if (group === undefined) groups.set(key, [column])
      else group.push(column)
    }
  return groups
}

/**
 * Pairs of columns with similar names whose values can be equal, in the order of the left table, and at most as many as
 * a policy can have. A column that is equally similar to several others is paired with none of them. The first column
 * that seems to identify a row is the key. Pure.
 */
export function suggestedMappings(left: readonly Column[], right: readonly Column[]): SuggestedMapping[] {
  const [ofLeft, ofRight] = [left.map(readColumn), right.map(readColumn)]
  const found = new Map<ReadColumn, ReadColumn>()
  const taken = new Set<ReadColumn>()
  for (const likeness of likenesses) {
    const open = ofLeft.filter((column) => !found.has(column))
    const free = ofRight.filter((column) => !taken.has(column))
    const [likeLeft, likeRight] = [likeness(open), likeness(free)]
    for (const column of open) {
      const match = onlyOne(column, likeRight)
      if (match === undefined || onlyOne(match, likeLeft) !== column) continue
      found.set(column, match)
      taken.add(match)
    }
  }
  const pairs = ofLeft
    .flatMap((column) => {
      const match = found.get(column)
      return match === undefined ? [] : [{ column, match }]
    })
    .slice(0, maxMappings)
  const key = pairs.find(({ column }) => isIdentifier(column))
  return pairs.map((pair) => ({
    ...{ leftColumnName: pair.column.name, rightColumnName: pair.match.name },
    ...{ useForJoining: pair === key, mappingType: 'AUTO' },
  }))
}

/** The column of the other side with a similar name that can have equal values, if there is exactly one. */
function onlyOne(column: ReadColumn, likeOf: (one: ReadColumn) => readonly ReadColumn[]): ReadColumn | undefined {
  let match: ReadColumn | undefined
  for (const other of likeOf(column)) {
    if (!canBeEqual(column.type, other.type)) continue
    if (match !== undefined) return undefined
    match = other
  }
  return match
}

const canIdentify = ({ kind }: LogicalType) => kind === 'integer' || kind === 'text' || kind === 'uuid'
const identifying = /(^|[^a-z])(id|key|uuid|guid|number|no|code|sku)$/

/** Whether a column seems to identify a row, by its name and type. */
function isIdentifier({ name, type }: ReadColumn): boolean {
  const words = name.replaceAll(/([a-z])([A-Z])/g, '$1_$2').toLowerCase()
  return identifying.test(words) && canIdentify(type)
}
