import { customComparisonValue } from '@assay/contracts'
import {
  compareExact,
  type Exact,
  exactOf,
  exactZero,
  type Measured,
  multiplyExact,
  parseMeasured,
} from '../../exact.ts'
import { allOrNothing } from '../../item-outcome.ts'
import type { RunItem } from '../definition.ts'
import type { Measure, MeasuredSides, Side } from './measure.ts'

const role = 'select'

/** The SELECT of a side; `undefined` if the item has none. */
export function selectOf({ value }: Pick<RunItem, 'value'>, side: Side): string | undefined {
  const parsed = customComparisonValue.safeParse(value)
  return parsed.success ? parsed.data[side === 'left' ? 'leftSql' : 'rightSql'] : undefined
}

function numberOf({ result }: MeasuredSides, side: Side): { text: string; number: Measured } | { problem: string } {
  const found = result(side, role)
  if (found?.kind === 'error') return { problem: found.message }
  const text = found?.kind === 'value' ? found.value : null
  const number = text === null ? undefined : parseMeasured(text)
  return number === undefined || text === null ? { problem: 'The SELECT gives no number.' } : { text, number }
}

const sizeOf = ({ numerator, denominator }: Exact): Exact => ({
  numerator: numerator < 0n ? -numerator : numerator,
  denominator,
})

/** Whether the distance of two numbers is within a tolerance. NaN and infinities equal only themselves. Pure. */
export function isWithin(left: Measured, right: Measured, tolerance: { absolute: Exact; relative: Exact }): boolean {
  if (typeof left === 'string' || typeof right === 'string') return left === right
  const minus = { numerator: -right.numerator, denominator: right.denominator }
  const distance = sizeOf({
    numerator: left.numerator * minus.denominator + minus.numerator * left.denominator,
    denominator: left.denominator * minus.denominator,
  })
  const [one, other] = [sizeOf(left), sizeOf(right)]
  const larger = compareExact(one, other) < 0 ? other : one
  return (
    compareExact(distance, tolerance.absolute) <= 0 ||
    compareExact(distance, multiplyExact(tolerance.relative, larger)) <= 0
  )
}

/** Whether one SELECT on each side gives the same number. */
export const custom: Measure = {
  compares: null,
  needsRows: false,
  asks: (item, _policy, side) => {
    const select = selectOf(item, side)
    if (select === undefined) return { problem: 'value: needs leftSql and rightSql, each one SELECT.' }
    return [{ role, metric: (id) => ({ kind: 'select', id, select: { sql: select, variables: {} } }) }]
  },
  judge: (item, found) => {
    const value = customComparisonValue.safeParse(item.value)
    if (!value.success) return { error: 'value: needs leftSql and rightSql, each one SELECT.' }
    const [left, right] = [numberOf(found, 'left'), numberOf(found, 'right')]
    if ('problem' in left || 'problem' in right)
      return {
        error: 'The numbers cannot be compared.',
        ...('problem' in left ? { left: left.problem } : {}),
        ...('problem' in right ? { right: right.problem } : {}),
      }
    const { absolute, relative } = value.data
    const exactly = (number: number | undefined) => (number === undefined ? exactZero : exactOf(number))
    const tolerance = { absolute: exactly(absolute), relative: exactly(relative) }
    return {
      percentage: allOrNothing(isWithin(left.number, right.number, tolerance)),
      ...{ scanned: null, failed: null },
      figures: { left: left.text, right: right.text },
    }
  },
  reads: (item, _policy, side) => {
    const select = selectOf(item, side)
    return select === undefined ? { isUnknown: true } : { sql: true, select }
  },
}
