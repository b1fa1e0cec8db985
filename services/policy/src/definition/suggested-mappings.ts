import type { SuggestedMapping } from '@assay/contracts'
import { canBeEqual, type LogicalType, parseType } from '@assay/data-engine'

interface Column {
  name: string
  dataType: string
}

/** The letters and digits of a name, in lower case. */
const lettersOf = (name: string) => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')

/** From the strictest to the loosest: the same name, the same letters, one name at the end of the other. */
const likenesses: readonly ((left: string, right: string) => boolean)[] = [
  (left, right) => left === right,
  (left, right) => lettersOf(left) === lettersOf(right),
  (left, right) => {
    const [one, other] = [lettersOf(left), lettersOf(right)]
    return one !== '' && other !== '' && (one.endsWith(other) || other.endsWith(one))
  },
]

/**
 * Pairs of columns with like names whose values can be equal, in the order of the left table. A name that is like several
 * others of the same likeness pairs none of them. The first column that seems to identify a row is the key. Pure.
 */
export function suggestedMappings(left: readonly Column[], right: readonly Column[]): SuggestedMapping[] {
  const found = new Map<Column, Column>()
  for (const isLike of likenesses) {
    const free = right.filter((column) => ![...found.values()].includes(column))
    const open = left.filter((column) => !found.has(column))
    const alike = (one: Column, other: Column) =>
      isLike(one.name, other.name) && canBeEqual(parseType(one.dataType), parseType(other.dataType))
    for (const column of open) {
      const [match, ...others] = free.filter((other) => alike(column, other))
      const rivals = match === undefined ? [] : open.filter((one) => alike(one, match))
      if (match !== undefined && others.length === 0 && rivals.length === 1) found.set(column, match)
    }
  }
  const pairs = left.flatMap((column) => {
    const match = found.get(column)
    return match === undefined ? [] : [{ column, match }]
  })
  const key = pairs.find(({ column }) => isIdentifier(column))
  return pairs.map((pair) => ({
    ...{ leftColumnName: pair.column.name, rightColumnName: pair.match.name },
    ...{ useForJoining: pair === key, mappingType: 'AUTO' },
  }))
}

const canIdentify = ({ kind }: LogicalType) => kind === 'integer' || kind === 'text' || kind === 'uuid'
const identifying = /(^|[^a-z])(id|key|uuid|guid|number|no|code|sku)$/

/** Whether a column seems to identify a row, by its name and type. */
function isIdentifier({ name, dataType }: Column): boolean {
  const words = name.replaceAll(/([a-z])([A-Z])/g, '$1_$2').toLowerCase()
  return identifying.test(words) && canIdentify(parseType(dataType))
}
