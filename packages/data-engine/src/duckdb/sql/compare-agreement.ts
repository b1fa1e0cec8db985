import type { ComparedPair } from '../../compare.ts'
import { isNumeric, type LogicalType } from '../../types/logical-type.ts'
import type { Pair } from './compare-pairs.ts'

/** SQL for a value of one side: as compared, and as in the data. */
export interface CompareCell {
  compared: string
  value: string
}

/** Digits after the point in which floats are compared exactly. Others are compared as doubles. */
const floatScale = 18
const maxScale = 38

const scaleOf = (type: LogicalType) => (type.kind === 'decimal' ? type.scale : type.kind === 'integer' ? 0 : floatScale)
const isFloat = (type: LogicalType) => isNumeric(type) && type.kind !== 'decimal' && type.kind !== 'integer'

/** A number of either side as an exact decimal (NULL if it does not fit), and as a double. */
function numbersOf(pair: Pair, left: CompareCell, right: CompareCell) {
  const scale = Math.min(maxScale, Math.max(scaleOf(pair.left.column.type), scaleOf(pair.right.column.type)))
  const of = ({ type }: { type: LogicalType }, { value }: CompareCell) => {
    const double = `TRY_CAST(${value} AS DOUBLE)`
    const decimal = `TRY_CAST(CAST(${value} AS VARCHAR) AS DECIMAL(38,${scale}))`
    // Decimals round longer fractions without an error.
    const exact = isFloat(type) ? `CASE WHEN CAST(${decimal} AS DOUBLE) = ${double} THEN ${decimal} END` : decimal
    return { exact, double }
  }
  return [of(pair.left.column, left), of(pair.right.column, right)] as const
}

/** Whether numbers are close enough, in decimals if both fit, else in doubles. */
function isNear(
  pair: Pair,
  { absolute, relative }: NonNullable<ComparedPair['tolerance']>,
  left: CompareCell,
  right: CompareCell,
): string {
  const [one, other] = numbersOf(pair, left, right)
  const within = (l: string, r: string, literal: (text: string) => string) => {
    const distance = `abs(${l} - ${r})`
    const limits = [
      ...(absolute === undefined ? [] : [`${distance} <= ${literal(absolute)}`]),
      ...(relative === undefined ? [] : [`${distance} <= ${literal(relative)} * greatest(abs(${l}), abs(${r}))`]),
    ]
    return `(${limits.join(' OR ')})`
  }
  const decimals = `TRY(${within(one.exact, other.exact, (text) => text)})`
  const doubles = within(one.double, other.double, (text) => `CAST(${text} AS DOUBLE)`)
  const areFinite = `isfinite(${one.double}) AND isfinite(${other.double})`
  return `coalesce(${decimals}, ${areFinite} AND ${doubles})`
}

const operators = { GTE: '>=', GT: '>', LTE: '<=', LT: '<' } as const

function holds(pair: Pair, operation: NonNullable<ComparedPair['operation']>, left: CompareCell, right: CompareCell) {
  if (operation === 'NOT_EQ') return `${left.compared} <> ${right.compared}`
  const operator = operators[operation]
  if (pair.as.kind === 'never') return 'false'
  const isNumber = isNumeric(pair.left.column.type) && isNumeric(pair.right.column.type)
  if (!isNumber) return `${left.compared} ${operator} ${right.compared}`
  const [one, other] = numbersOf(pair, left, right)
  const ordered = `coalesce(${one.exact} ${operator} ${other.exact}, ${one.double} ${operator} ${other.double})`
  // NaN has no order, but DuckDB sorts it above all numbers.
  return `NOT isnan(${one.double}) AND NOT isnan(${other.double}) AND ${ordered}`
}

/** Whether the values of a pair agree, as SQL that is never NULL. */
export function agreement(pair: Pair, left: CompareCell, right: CompareCell): string {
  const { ignoreNulls, operation, tolerance } = pair.rules
  const isEqual = `${left.compared} IS NOT DISTINCT FROM ${right.compared}`
  if (!ignoreNulls && operation === undefined && tolerance === undefined) return isEqual
  const eitherNull = `${left.compared} IS NULL OR ${right.compared} IS NULL`
  const withNull = ignoreNulls ? 'true' : operation === undefined ? isEqual : 'false'
  const relation =
    operation !== undefined
      ? holds(pair, operation, left, right)
      : tolerance === undefined
        ? isEqual
        : `${isEqual} OR ${isNear(pair, tolerance, left, right)}`
  return `CASE WHEN ${eitherNull} THEN ${withNull} ELSE coalesce(${relation}, false) END`
}

/** Whether rows that are equal in all columns may still disagree, because a relation other than equality is required. */
export const requiresMoreThanEquality = (pairs: readonly Pair[]) =>
  pairs.some(({ rules: { operation } }) => operation !== undefined)
