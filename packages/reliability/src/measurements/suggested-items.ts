import type { MeasurementType } from '@assay/contracts'
import type { ProfileValue } from '@assay/data-engine'
import { kindOfType, type ValueKind } from '../column-types.ts'
import { parseExact } from '../exact.ts'
import { exactCompare } from '../suggestions/exact-compare.ts'
import type { ColumnOfProfile } from '../suggestions/profiled.ts'
import { ofForms, ofTypes } from './suggested-forms.ts'

/** An item that may be suggested for a column. */
export interface Candidate {
  measurementType: MeasurementType
  value: Record<string, unknown>
  resultThreshold: number
  /** How much the item is worth compared with others if it never fails: 0 to 1. */
  worth: number
  /** Whether the source of the table must know the character classes of RE2. */
  needsRe2?: true
  /** Whether the rows of another profile would fail the item; null if the profile does not show it. */
  fails(past: ColumnOfProfile): boolean | null
}

type Rule = (now: ColumnOfProfile, kind: ValueKind) => Candidate[]

/** Minimum number of values that show a habit. */
const leastValues = 20
const longestList = 20
/** Minimum average number of occurrences of each listed value. */
const leastRepeats = 5
const longestSize = 64
/** The 97.5 % quantile of the normal distribution. */
const z = 1.96

/** The lower end of the Wilson interval of a share, in whole percent. */
function leastPercentage(passed: number, rows: number): number {
  const share = passed / rows
  const middle = share + z ** 2 / (2 * rows)
  const width = z * Math.sqrt((share * (1 - share)) / rows + z ** 2 / (4 * rows ** 2))
  return Math.floor((100 * (middle - width)) / (1 + z ** 2 / rows))
}

/** Columns without NULL are suggested to stay complete; others to stay as complete as they are, within chance. */
const missing: Rule = ({ rows, values }) => {
  const resultThreshold = values === rows ? 100 : leastPercentage(values, rows)
  if (rows === 0 || resultThreshold < 50) return []
  const fails = (past: ColumnOfProfile) => 100 * past.values < resultThreshold * past.rows
  const worth = resultThreshold === 100 ? 1 : 0.6
  return [{ measurementType: 'MISSING_VALUES', value: {}, resultThreshold, worth, fails }]
}

const isUnique = ({ column, values }: ColumnOfProfile) =>
  column.distinctMethod === 'EXACT' ? column.distinct === values : null

const distinctness: Rule = (now, kind) => {
  if (now.values < leastValues || kind === 'other' || isUnique(now) !== true) return []
  const fails = (past: ColumnOfProfile) => {
    const unique = isUnique(past)
    return unique === null ? null : !unique
  }
  return [{ measurementType: 'DISTINCTNESS_CHECK', value: {}, resultThreshold: 100, worth: 0.95, fails }]
}

const isWhole = ({ column, values }: ColumnOfProfile) =>
  column.mostFrequent.length === column.distinct &&
  column.mostFrequent.every(({ value }) => !isCut(value)) &&
  values > 0
const isCut = (value: ProfileValue) => typeof value === 'string' && value.length > 256

const inList: Rule = (now, kind) => {
  const { column, values } = now
  const listed = column.mostFrequent.flatMap(({ value }) => (value === null ? [] : [value]))
  if (column.masked || (kind !== 'text' && kind !== 'number') || column.notFinite !== null) return []
  if (!isWhole(now) || listed.length > longestList || values < leastRepeats * listed.length) return []
  if (values < leastValues) return []
  const known = new Set<ProfileValue>(listed)
  const fails = ({ column: past }: ColumnOfProfile) => {
    if (past.masked || past.distinct === null) return null
    if (past.mostFrequent.some(({ value }) => !known.has(value))) return true
    return past.distinctMethod === 'EXACT' && past.distinct > past.mostFrequent.length && past.distinct > known.size
  }
  const worth = kind === 'text' ? 0.9 : 0.5
  return [{ measurementType: 'VALUES_IN_LIST', value: { values: listed }, resultThreshold: 100, worth, fails }]
}

const bound = (value: ProfileValue) => (typeof value === 'boolean' || value === null ? undefined : value)

/**
 * Numbers that are not negative are suggested to stay so. Numbers are suggested to stay between their extremes, unless
 * each value is new. The extremes of a profile leave out NaN and infinities, which fail a range.
 */
const range: Rule = (now, kind) => {
  const [min, max] = [bound(now.column.min), bound(now.column.max)]
  if (kind !== 'number' || now.column.masked || min === undefined || max === undefined) return []
  if (now.values < leastValues || parseExact(String(min)) === undefined || (now.column.notFinite ?? 0) > 0) return []
  const outside = (low: ProfileValue | undefined, high: ProfileValue | undefined) => (past: ColumnOfProfile) => {
    if (past.column.masked) return null
    const { min: least, max: greatest, notFinite } = past.column
    if ((notFinite ?? 0) > 0) return true
    if (least === null || greatest === null) return false
    return (
      (low !== undefined && exactCompare(least, low) < 0) || (high !== undefined && exactCompare(greatest, high) > 0)
    )
  }
  const one = { measurementType: 'RANGE_MATCH' as const, resultThreshold: 100 }
  const isNotNegative = exactCompare(min, 0) >= 0
  return [
    ...(isNotNegative ? [{ ...one, value: { min: 0 }, worth: 0.8, fails: outside(0, undefined) }] : []),
    ...(isUnique(now) === false ? [{ ...one, value: { min, max }, worth: 0.7, fails: outside(min, max) }] : []),
  ]
}

/** Codes of one length are suggested to keep it, and short text to stay within its lengths. */
const size: Rule = ({ column, values }, kind) => {
  const { minLength: min, maxLength: max } = column
  if (kind !== 'text' || column.masked || min === null || max === null) return []
  if (values < leastValues || max > longestSize || max === 0) return []
  const fails = ({ column: past }: ColumnOfProfile) => {
    if (past.masked) return null
    return past.minLength !== null && past.maxLength !== null && (past.minLength < min || past.maxLength > max)
  }
  const worth = min === max ? 0.85 : 0.55
  return [{ measurementType: 'SIZE_CHECK', value: { min, max }, resultThreshold: 100, worth, fails }]
}

const forms: Rule = (now) => (now.column.masked || now.values < leastValues ? [] : [...ofForms(now), ...ofTypes(now)])

const rules: readonly Rule[] = [missing, distinctness, inList, range, size, forms]

/** The items that a column passes now and that may be intended for it. Pure. */
export function candidatesFor(now: ColumnOfProfile): Candidate[] {
  if (now.column.error !== null) return []
  const kind = kindOfType(now.column.dataType)
  return rules.flatMap((rule) => rule(now, kind))
}
