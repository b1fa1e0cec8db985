import type { ComparedPair } from '../../compare.ts'
import { isNumeric, type LogicalType } from '../../types/logical-type.ts'
import type { Pair } from './compare-pairs.ts'

/** SQL for a value of one side: in the form that is compared, and as it is in the data. */
export interface CompareCell {
  compared: string
  value: string
}

/** Maximum number of digits after the point for an exact comparison of floats. Other floats are compared as doubles. */
const floatScale = 18
const maxScale = 38

const scaleOf = (type: LogicalType) => (type.kind === 'decimal' ? type.scale : type.kind === 'integer' ? 0 : floatScale)
const isFloat = (type: LogicalType) => isNumeric(type) && type.kind !== 'decimal' && type.kind !== 'integer'

/**
 * A number of either side as an exact decimal (NULL if it does not fit) with `scale` digits after the point, and as a
 * double. A float stands for its shortest decimal.
 */
function numbersOf(pair: Pair, left: CompareCell, right: CompareCell) {
  const scale = Math.min(maxScale, Math.max(scaleOf(pair.left.column.type), scaleOf(pair.right.column.type)))
  const of = ({ type }: { type: LogicalType }, { value }: CompareCell) => {
    const double = `TRY_CAST(CAST(${value} AS VARCHAR) AS DOUBLE)`
    const decimal = `TRY_CAST(CAST(${value} AS VARCHAR) AS DECIMAL(38,${scale}))`
    // Casts to decimals round longer fractions without an error. A direct cast to doubles would round them a second
    // time, so they are cast through text.
    const isExact = `CAST(CAST(${decimal} AS VARCHAR) AS DOUBLE) = ${double}`
    return { exact: isFloat(type) ? `CASE WHEN ${isExact} THEN ${decimal} END` : decimal, double }
  }
  return { one: of(pair.left.column, left), other: of(pair.right.column, right), scale }
}

const fractionDigits = (text: string) => text.split('.')[1]?.length ?? 0

/** Whether numbers are close enough. Computed in decimals if both fit, else in doubles. */
function isNear(
  pair: Pair,
  { absolute, relative }: NonNullable<ComparedPair['tolerance']>,
  left: CompareCell,
  right: CompareCell,
): string {
  const { one, other, scale } = numbersOf(pair, left, right)
  const areFinite = `isfinite(${one.double}) AND isfinite(${other.double})`
  /** `limit`: the largest accepted distance of two numbers. */
  const within = (limit: (l: string, r: string, literal: (text: string) => string) => string, fits: boolean) => {
    const ofDecimals = limit(one.exact, other.exact, (text) => text)
    const ofDoubles = limit(one.double, other.double, (text) => `CAST(${text} AS DOUBLE)`)
    const doubles = `(${areFinite} AND abs(${one.double} - ${other.double}) <= ${ofDoubles})`
    return fits ? `coalesce(TRY(abs(${one.exact} - ${other.exact}) <= ${ofDecimals}), ${doubles})` : doubles
  }
  const limits = [
    ...(absolute === undefined ? [] : [within((_l, _r, literal) => literal(absolute), true)]),
    ...(relative === undefined
      ? []
      : [
          within(
            (l, r, literal) => `${literal(relative)} * greatest(abs(${l}), abs(${r}))`,
            // DuckDB refuses products with more digits after the point, even within TRY.
            scale + fractionDigits(relative) <= maxScale,
          ),
        ]),
  ]
  return `(${limits.join(' OR ')})`
}

const operators = { GTE: '>=', GT: '>', LTE: '<=', LT: '<' } as const

function holds(pair: Pair, operation: NonNullable<ComparedPair['operation']>, left: CompareCell, right: CompareCell) {
  if (operation === 'NOT_EQ') return `${left.compared} <> ${right.compared}`
  const operator = operators[operation]
  if (pair.as.kind === 'never') return 'false'
  const isNumber = isNumeric(pair.left.column.type) && isNumeric(pair.right.column.type)
  if (!isNumber) return `${left.compared} ${operator} ${right.compared}`
  const { one, other } = numbersOf(pair, left, right)
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
